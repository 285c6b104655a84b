import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../steps/world.ts';
import { type GitServer, git, startGitServer } from '../support/git-server.ts';
import type { TestOwner } from '../support/harness.ts';
import { hireAndStart, makePair, refusalOf, type SecondApp, serverForFile, startSecondApp } from './scene.ts';
import { watchSandboxes } from './watched-sandboxes.ts';

/** What dry runs may take from tasks and gates: sandboxes, memory and turns to clone. */

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });
const watched = watchSandboxes();
/** Of its five sandboxes one is the gate's, and it has one dry run at a time, of six seconds. */
let small: SecondApp;
let remote: GitServer;
/** Requests for a repository whose server does not answer. */
const held: (() => void)[] = [];

beforeAll(async () => {
  remote = await startGitServer((incoming, response) => {
    const isHeld = incoming.url?.startsWith('/held') === true;
    if (isHeld) held.push(() => response.writeHead(500).end());
    return isHeld;
  });
  const repo = join(remote.root, 'fine');
  mkdirSync(repo);
  git(repo, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(join(repo, 'README'), 'fine\n');
  git(repo, 'add', '-A');
  git(repo, 'commit', '--quiet', '-m', 'one');
  const config = { ...server.config, SANDBOX_MAX_LIVE: 5, DRY_RUN_MS: 6_000 };
  small = await startSecondApp(server, { config, driver: watched.driver });
});
afterEach(() => {
  for (const go of held.splice(0)) go();
});
afterAll(async () => {
  await small.app.close();
  await remote.close();
});

const checking = (command: string) => ({ acceptance: { checks: [{ name: 'a check', command }] } });
const cloning = (path: string) => ({ repo: { url: `${remote.url}/${path}` }, ...checking('true') });
const newcomer = () => server.owner({ credits: 0 });
const tryAt = async (baseUrl: string, input: ReturnType<typeof checking>, owner?: TestOwner) => {
  const { agora } = owner ?? (await newcomer());
  const { checks } = await agora.withOptions({ baseUrl, maxRetries: 0 }).tasks.tryChecks({ input });
  return checks[0]?.passed;
};
/** An agent that has started a task, and its use of a sandbox on a server. */
async function workerAt(baseUrl: string, input: object = checking('true')) {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair, { input: { description: 'Look at it', ...input } });
  const agora = pair.agent.agora.withOptions({ baseUrl, maxRetries: 0 });
  return {
    use: () => refusalOf(agora.sandbox.exec(id, { command: 'true' })),
    deliver: () => agora.tasks.complete(id, { output: { result: 'Done' } }),
    fail: () => agora.tasks.fail(id, { reason: 'end' }),
  };
}

test('a dry run takes its sandboxes from the part of the agents, never from that of the gate', async () => {
  const workers = await Promise.all(Array.from({ length: 5 }, () => workerAt(small.url)));
  const [first, second, third, fourth, last] = workers as [Worker, Worker, Worker, Worker, Worker];
  for (const worker of [first, second, third]) expect(await worker.use()).toBe('no refusal');
  const run = tryAt(small.url, checking('sleep 2'));
  await until('it has its sandbox', () => watched.live() === 4);
  expect(await fourth.use()).toBe('503 SANDBOX_UNAVAILABLE');
  expect(await run).toBe(true);
  expect(await fourth.use()).toBe('no refusal');
  expect(await refusalOf(tryAt(small.url, checking('true')))).toBe('503 SANDBOX_UNAVAILABLE');
  expect((await last.deliver()).status).toBe('completed');
  await first.fail();
  expect(await tryAt(small.url, checking('true'))).toBe(true);
  for (const worker of [second, third, fourth]) await worker.fail();
});

test('more of them than a small server runs wait for their turn, and are refused when it does not come', async () => {
  await until('all sandboxes have ended', () => watched.live() === 0);
  const before = watched.opened.length;
  const runs = [1, 2].map(() => tryAt(small.url, checking('sleep 0.3')));
  expect(await Promise.all(runs)).toEqual([true, true]);
  expect(watched.opened.slice(before).map(({ beside }) => beside)).toEqual([0, 0]);
  const other = await newcomer();
  const long = tryAt(small.url, checking('sleep 4'));
  await until('it runs', () => watched.live() === 1);
  expect(await refusalOf(tryAt(small.url, checking('true'), other))).toBe('503 DRY_RUNS_BUSY');
  expect(await long).toBe(true);
});

test('of two that clone one waits, so that a task clones beside them', async () => {
  const runs = ['held/1', 'held/2'].map((path) => tryAt(server.url, cloning(path)).catch(({ code }) => code));
  let ended = 0;
  for (const run of runs) void run.then(() => (ended += 1));
  await until('one clones', () => held.length === 1);
  const worker = await workerAt(server.url, { repo: { url: `${remote.url}/fine` } });
  expect(await worker.use()).toBe('no refusal');
  expect([ended, held.length]).toEqual([0, 1]);
  await worker.fail();
  for (const nth of [1, 2]) {
    await until(`clone ${nth} has begun`, () => held.length === 1);
    held.pop()?.();
  }
  expect(await Promise.all(runs)).toEqual(Array(2).fill('REPOSITORY_UNAVAILABLE'));
});

test('a run whose clone could not begin says that the server is busy; one whose clone takes long ends it', async () => {
  const workers = await Promise.all([1, 2].map(() => workerAt(small.url, { repo: { url: `${remote.url}/held` } })));
  const uses = workers.map((worker) => worker.use());
  await until('both places are taken', () => held.length === 2);
  const before = remote.seen.length;
  expect(await refusalOf(tryAt(small.url, cloning('fine')))).toBe('503 DRY_RUNS_BUSY');
  expect(remote.seen).toHaveLength(before);
  for (const go of held.splice(0)) go();
  expect(await Promise.all(uses)).toEqual(Array(2).fill('502 REPOSITORY_UNAVAILABLE'));
  for (const worker of workers) await worker.fail();
  const late = tryAt(small.url, cloning('held')).catch((error) => error);
  expect(await late).toMatchObject({ code: 'REPOSITORY_UNAVAILABLE', details: { reason: 'timed_out' } });
});

type Worker = Awaited<ReturnType<typeof workerAt>>;
