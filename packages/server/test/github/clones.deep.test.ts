import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toUuid } from '@agora-market/contract';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { hire, type SecondApp, serverForFile, startSecondApp } from '../api/scene.ts';
import { git } from '../support/git-server.ts';
import { type FakeGitHub, goodToken, partiesAt, partyAt, startGitHub } from './scene.ts';

const server = serverForFile();
let github: FakeGitHub;
let second: SecondApp;

beforeAll(async () => {
  github = await startGitHub();
  for (const name of ['alpha', 'beta']) {
    const path = join(github.root, 'octocat', `${name}.git`);
    mkdirSync(path, { recursive: true });
    git(path, 'init', '--quiet', '--initial-branch=main');
    writeFileSync(join(path, 'README'), `${name}\n`);
    git(path, 'add', '-A');
    git(path, 'commit', '--quiet', '-m', 'one');
  }
  second = await startSecondApp(server, { config: { ...server.config, ...github.settings } });
});
afterEach(() => github.restore(goodToken));
afterAll(async () => {
  await second.app.close();
  await github.close();
});

const parties = (options?: { connected: boolean }) => partiesAt(server, second.url, options);

const input = (name: string, base = github.url) => ({ input: { repo: { url: `${base}/octocat/${name}.git` } } });

async function start({ agent }: Awaited<ReturnType<typeof parties>>, id: string): Promise<void> {
  const { sandboxId } = (await agent.agora.sandbox.provision(id)).data;
  await agent.agora.tasks.start(id, { sandboxId });
}

/** It was asked for, and refused as to anybody. */
const expectNotFound = ({ agent }: Awaited<ReturnType<typeof parties>>, id: string) =>
  expect(agent.agora.sandbox.provision(id)).rejects.toMatchObject({
    code: 'REPOSITORY_UNAVAILABLE',
    details: { reason: 'not_found' },
  });

test('a private repository is cloned for a task of its connected owner, and nobody else sees the token', async () => {
  const pair = await parties();
  const { id } = await hire(pair, input('alpha'));
  await start(pair, id);
  const { data } = await pair.agent.agora.sandbox.exec(id, {
    command: 'cat README; env; cat .git/config; grep -r github_pat /workspace /input /tmp; true',
  });
  expect(data.stdout).toContain('alpha\n');
  const told = [data, await pair.agent.agora.tasks.get(id), await pair.buyer.agora.tasks.get(id)];
  const rows = await server.pool.query('select t::text from tasks t where id = $1', [toUuid('task', id)]);
  expect(JSON.stringify([told, rows.rows])).not.toContain(goodToken);
});

test('without a connection it is as if there was none', async () => {
  const pair = await parties({ connected: false });
  const { id } = await hire(pair, input('alpha'));
  await expectNotFound(pair, id);
});

test('an agent of the connected owner cannot have it cloned', async () => {
  const pair = await parties();
  const own = partyAt(second.url, await pair.buyer.agent());
  await pair.buyer.agora.vault.allocate(own.id, { amount: 5000 });
  const task = await own.agora.tasks.submitAsAgent({
    ...{ taskType: 'general', maxBudget: 1000, agentId: pair.agent.id },
    ...input('alpha'),
  });
  if (!('id' in task)) throw new Error('the submission waits for an approval');
  await expectNotFound(pair, task.id);
});

test('a revoked token keeps nobody from a public repository', async () => {
  const pair = await parties();
  github.revoke(goodToken);
  const { id } = await hire(pair, input('beta'));
  await start(pair, id);
  expect((await pair.agent.agora.sandbox.exec(id, { command: 'cat README' })).data.stdout).toBe('beta\n');
});

test('the token goes to no other host', async () => {
  const pair = await parties();
  const { id } = await hire(pair, input('alpha', github.url.replace('127.0.0.1', 'localhost')));
  await expectNotFound(pair, id);
});
