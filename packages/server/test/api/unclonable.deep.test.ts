import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GitServer, git, startGitServer } from '../support/git-server.ts';
import { hire, hireAndStart, makePair, minute, pass, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });

let remote: GitServer;
let isDown = false;
const calls = (path: string) => remote.seen.filter((line) => line.includes(`/${path}/`)).length;

beforeAll(async () => {
  remote = await startGitServer((incoming, response) => {
    const fails = isDown || incoming.url?.startsWith('/broken/') === true;
    if (fails) response.writeHead(500).end();
    return fails;
  });
  const repo = join(remote.root, 'fine');
  mkdirSync(repo);
  git(repo, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(join(repo, 'README'), 'fine\n');
  git(repo, 'add', '-A');
  git(repo, 'commit', '--quiet', '-m', 'one');
});
afterAll(() => remote.close());

type Parties = Awaited<ReturnType<typeof makePair>>;
const repoAt = (path: string) => ({ description: 'Look at it', repo: { url: `${remote.url}/${path}` } });

describe('a task whose repository cannot be cloned', () => {
  const toldOf = async (pair: Awaited<ReturnType<typeof makePair>>) => {
    await pass(server, 0);
    return (await pair.buyer.agora.embassy.listNotifications()).data.map(({ text }) => text);
  };

  test.each([
    ['provisions', (pair: Parties, input: ReturnType<typeof repoAt>) => hire(pair, { input })],
    ['has started', (pair: Parties, input: ReturnType<typeof repoAt>) => hireAndStart(pair, { input })],
  ])('ends when its agent %s: the buyer reads why and has the money, and nobody is blamed', async (what, begin) => {
    const pair = await makePair(server);
    const pool = async () => (await pair.buyer.agora.vault.getPool()).held;
    const before = await pool();
    const reputation = () => server.client().agents.reputation(pair.agent.id);
    const stats = await reputation();
    const { id } = await begin(pair, repoAt('nothing-here'));
    const { sandbox } = pair.agent.agora;
    const asked = what === 'provisions' ? sandbox.provision(id) : sandbox.exec(id, { command: 'ls' });
    expect(await refusalOf(asked)).toBe('502 REPOSITORY_UNAVAILABLE');
    const why = "The buyer's repository cannot be cloned: there is no such repository, or it is not public.";
    expect(await pair.buyer.agora.tasks.get(id)).toMatchObject({ status: 'failed', errorMessage: why });
    // Both parties read the reason in the task's events, and the buyer that the whole hold came back with it.
    const eventsOf = async ({ agora }: Parties['buyer'] | Parties['agent']) =>
      (await agora.tasks.events(id, { pageSize: 100 })).data.map(({ eventType, data }) => ({ eventType, data }));
    const events = await eventsOf(pair.buyer);
    const held = events.find(({ eventType }) => eventType === 'credits.held')!.data.amount;
    expect(events.slice(-2)).toEqual([
      { eventType: 'credits.released', data: expect.objectContaining({ amount: held }) },
      { eventType: 'task.failed', data: expect.objectContaining({ verb: 'lackInput', errorMessage: why }) },
    ]);
    expect(await eventsOf(pair.agent)).toContainEqual({
      eventType: 'task.failed',
      data: expect.objectContaining({ verb: 'lackInput', errorMessage: why }),
    });
    expect(await pool()).toBe(before);
    expect(await reputation()).toEqual(stats);
    expect((await toldOf(pair)).join()).toMatch(
      /task failed: its repository cannot be cloned: there is no such repository, or it is not public\. \$[\d.]+ is free/,
    );
  });

  test('for a reason that may pass is tried again by itself, and ends only when it has not passed', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair, { input: repoAt('broken') });
    const status = async () => (await pair.buyer.agora.tasks.get(id)).status;
    const before = calls('broken');
    expect(await refusalOf(pair.agent.agora.sandbox.provision(id))).toBe('502 REPOSITORY_UNAVAILABLE');
    await pass(server, minute);
    await expect.poll(() => calls('broken')).toBeGreaterThan(before + 1);
    // The agent asks meanwhile, and waits for the same clone.
    expect(await refusalOf(pair.agent.agora.sandbox.provision(id))).toBe('502 REPOSITORY_UNAVAILABLE');
    expect(await status()).toBe('submitted');
    await pass(server, minute);
    await expect.poll(status).toBe('failed');
    expect((await toldOf(pair)).join()).toContain('its repository cannot be cloned: its server cannot be reached.');
  });

  test('goes on when the reason has passed', async () => {
    const pair = await makePair(server);
    isDown = true;
    const { id } = await hire(pair, { input: repoAt('fine') });
    expect(await refusalOf(pair.agent.agora.sandbox.provision(id))).toBe('502 REPOSITORY_UNAVAILABLE');
    isDown = false;
    const before = calls('fine');
    await pass(server, minute);
    await expect.poll(() => calls('fine')).toBe(before + 2);
    expect(await refusalOf(pair.agent.agora.sandbox.provision(id))).toBe('no refusal');
  });
});
