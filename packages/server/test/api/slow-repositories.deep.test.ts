import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type GitServer, git, serveGit, startGitServer } from '../support/git-server.ts';
import { hire, hireAndStart, makePair, minute, pass, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });

let remote: GitServer;
let isDown = false;
/** Lets requests go on that are kept waiting: they fail, or are served late. */
const held: (() => void)[] = [];
const goOn = () => {
  for (const go of held.splice(0)) go();
};
const untilHeld = () => expect.poll(() => held.length).toBe(1);
const calls = (path: string) => remote.seen.filter((line) => line.includes(`/${path}/`)).length;

beforeAll(async () => {
  remote = await startGitServer((incoming, response) => {
    const path = incoming.url?.split('/')[1];
    if (isDown || path === 'broken') response.writeHead(500).end();
    const isLate = path === 'late' && incoming.method === 'GET';
    if (path === 'held') held.push(() => response.writeHead(500).end());
    if (isLate) held.push(() => serveGit(remote.root, incoming, response));
    return isDown || path === 'broken' || path === 'held' || isLate;
  });
  for (const name of ['fine', 'late']) {
    const repo = join(remote.root, name);
    mkdirSync(repo);
    git(repo, 'init', '--quiet', '--initial-branch=main');
    writeFileSync(join(repo, 'README'), 'fine\n');
    git(repo, 'add', '-A');
    git(repo, 'commit', '--quiet', '-m', 'one');
  }
});
afterEach(() => {
  isDown = false;
  goOn();
});
afterAll(() => remote.close());

const repoAt = (path: string) => ({ description: 'Look at it', repo: { url: `${remote.url}/${path}` } });
const acceptance = { checks: [{ name: 'passes never', command: 'false' }] };

/** Provisions as its agent; resolves with the refusal, if there is one. */
async function provision(path: string, pair?: Awaited<ReturnType<typeof makePair>>) {
  const parties = pair ?? (await makePair(server));
  const { id } = await hire(parties, { input: repoAt(path) });
  const again = () => refusalOf(parties.agent.agora.sandbox.provision(id));
  return { id, first: again(), again };
}

test('one buyer has one clone at a time, however many tasks are provisioned, and others are served beside it', async () => {
  const greedy = await makePair(server);
  const waiting = await Promise.all([1, 2, 3, 4].map(() => provision('held', greedy)));
  await untilHeld();
  const { first } = await provision('fine');
  expect(await first).toBe('no refusal');
  expect(calls('held')).toBe(1);
  const ended = Promise.all(waiting.map((each) => each.first));
  for (let n = 0; n < 4; n++) {
    await untilHeld();
    goOn();
  }
  expect(await ended).toEqual(Array(4).fill('502 REPOSITORY_UNAVAILABLE'));
  // Nothing of them is tried again.
  for (const { id } of waiting) await greedy.buyer.agora.tasks.cancel(id);
});

test('what could not be cloned is refused for a minute without asking its server again', async () => {
  const { first, again } = await provision('broken');
  expect(await first).toBe('502 REPOSITORY_UNAVAILABLE');
  const before = calls('broken');
  server.clock.advance(minute - 1);
  expect(await again()).toBe('502 REPOSITORY_UNAVAILABLE');
  expect(calls('broken')).toBe(before);
  server.clock.advance(1);
  expect(await again()).toBe('502 REPOSITORY_UNAVAILABLE');
  expect(calls('broken')).toBe(before + 1);
});

test.each([
  ['general', 'check: passes never'],
  ['bug_fix', 'tests'],
] as const)(
  'a %s whose repository cannot be had after one more try is judged without: nothing is run, and the work is paid',
  async (taskType, name) => {
    const pair = await makePair(server);
    const input = { ...repoAt('broken'), ...(taskType === 'general' && { acceptance }) };
    const { id } = await hireAndStart(pair, { taskType, input });
    const before = calls('broken');
    await pair.agent.agora.tasks.complete(id, { output: { result: 'I looked at it: it is fine' } });
    await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).not.toBe('quality_check');
    const task = await pair.buyer.agora.tasks.get(id);
    expect(task).toMatchObject({ status: 'completed', qualityScore: 60, creditsCharged: task.price });
    const { criteria } = await pair.buyer.agora.courts.getAssessment(task.assessmentId as string);
    const evidence = "Not run: The buyer's repository cannot be cloned: its server cannot be reached.";
    expect(criteria).toContainEqual(expect.objectContaining({ name, score: null, evidence }));
    expect(calls('broken')).toBe(before + 2);
  },
);

test('a failure is not appealed away by a repository that is lost since: without it nothing new is known', async () => {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair, { input: { ...repoAt('fine'), acceptance } });
  await pair.agent.agora.tasks.complete(id, { output: { result: 'I looked at it: it is fine' } });
  await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).toBe('failed');
  isDown = true;
  for await (const key of server.app.objects.list('repositories')) await server.app.objects.delete(key);
  const assessmentId = (await pair.buyer.agora.tasks.get(id)).assessmentId as string;
  await pair.agent.agora.courts.appealAssessment(assessmentId);
  await pass(server, 0);
  const appeal = async () => (await pair.buyer.agora.courts.getAssessment(assessmentId)).appeal;
  await expect.poll(async () => (await appeal())?.status).toBe('rejected');
  expect((await appeal())?.resultId).toBeNull();
});

test('a streamed command does not run if its reader left while the workspace was prepared', async () => {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair, { input: repoAt('late') });
  const { hostname, port } = new URL(server.url);
  const headers = { 'x-api-key': pair.agent.key, accept: 'text/event-stream', 'content-type': 'application/json' };
  const path = `/api/v1/tasks/${id}/sandbox/exec`;
  const sent = request({ hostname, port, path, method: 'POST', headers }).on('error', () => undefined);
  sent.end(JSON.stringify({ command: 'touch ran; sleep 60', timeoutMs: 60_000 }));
  await untilHeld();
  sent.destroy();
  // Later than the server's news of that.
  await pair.agent.agora.tasks.get(id);
  const seen = pair.agent.agora.sandbox.exec(id, { command: 'sleep 0.3; ls' });
  goOn();
  expect((await seen).data.stdout).toBe('README\n');
});
