import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { toUuid } from '@agora-market/contract';
import { afterAll, expect, test } from 'vitest';
import { lockOf, pathOf, type TestPackage, tarball } from '../support/npm-registry.ts';
import { startPackageRegistry } from '../support/package-registry.ts';
import { hire, makePair, refusalOf, serverForFile } from './scene.ts';

/** Packages of a buyer's private registry: for its own tasks alone, and without its token in any sandbox. */

const rounding: TestPackage = { name: 'rounding', version: '1.2.0', files: { 'index.js': 'exports.word = 1;' } };
const ours: TestPackage = { name: '@acme/ours', version: '3.0.0', files: { 'index.js': 'exports.word = 7;' } };
const open = await startPackageRegistry(new Map([[pathOf(rounding), tarball(rounding)]]));
const closed = await startPackageRegistry(new Map([[pathOf(ours), tarball(ours)]]), 'Bearer npm_secret');
afterAll(() => Promise.all([open.close(), closed.close()]));
const server = serverForFile({ config: { DEPENDENCY_REGISTRIES: `npm=${open.url}`, OUTBOUND_ALLOW_LOOPBACK: true } });

const root = { name: 'shop', version: '1.0.0' };
const stored = () => ({ kind: 'npm' as const, url: closed.url, token: 'npm_secret' });

/** With a settings file of npm that names the registry and a variable for the token, as people commit it. */
function project(resolved = `${closed.url}${pathOf(ours)}`) {
  const host = closed.url.replace('http:', '');
  return {
    'package.json': JSON.stringify({ ...root, dependencies: { rounding: '1.2.0', '@acme/ours': '3.0.0' } }),
    'package-lock.json': lockOf(root, [rounding, ours]).replace(`https://registry.npmjs.org${pathOf(ours)}`, resolved),
    '.npmrc': `@acme:registry=${closed.url}/\n${host}/:_authToken=\${NPM_TOKEN}\n`,
  };
}

type Pair = Awaited<ReturnType<typeof makePair>>;

async function sandboxOf(pair: Pair, files: Record<string, string>, environment?: { setup: string }) {
  const input = { description: 'Say the word.', files, ...(environment && { environment }) };
  const { id } = await hire(pair, { taskType: 'bug_fix', input });
  const { sandbox, tasks } = pair.agent.agora;
  const { data } = await sandbox.provision(id);
  await tasks.start(id, { sandboxId: data.sandboxId });
  const { packages } = (await sandbox.get(id)).data;
  const run = async (command: string) => (await sandbox.exec(id, { command })).data;
  return { packages, run, end: () => sandbox.destroy(id) };
}

test('come with the token that their owner has stored, which no sandbox has', async () => {
  const pair = await makePair(server);
  const { packageRegistries } = pair.buyer.agora;
  const set = await packageRegistries.set(stored());
  expect(set).toEqual({ ...stored(), token: undefined, username: null, packages: [], updatedAt: expect.any(String) });
  expect((await packageRegistries.list()).data).toEqual([set]);
  const { packages, run, end } = await sandboxOf(pair, project());
  expect(packages).toEqual({ installed: ['node_modules'], lacking: [] });
  expect(await run(`node -p "require('@acme/ours').word + require('rounding').word"`)).toMatchObject({ stdout: '8\n' });
  const found = await run('env; grep -rl npm_secret /workspace /tmp /input /etc 2> /dev/null; true');
  expect(found.stdout).not.toContain('npm_secret');
  expect(closed.asked).toEqual([pathOf(ours)]);
  await end();

  const ownerId = toUuid('owner', pair.buyer.id) as string;
  const store = join(server.config.AGORA_DATA_DIR, 'dependencies/content-v2/owners', ownerId);
  expect(existsSync(store)).toBe(true);
  await packageRegistries.remove({ kind: 'npm', url: `${closed.url}/` });
  await server.app.run('dependencies.makeRoom');
  expect(existsSync(store)).toBe(false);
});

test.each([
  ['of this host', null, /^Exit code 0\./],
  ['of this host', { setup: 'test -e node_modules' }, /^Exit code 0\./],
  ['of no host any more', null, /^Not run: .* that the agent had cannot be had any more/],
] as const)('are those that the agent had, with its layer %s, prepared by %o', async (place, environment, says) => {
  const pair = await makePair(server);
  const { courts, packageRegistries, tasks } = pair.buyer.agora;
  await packageRegistries.set(stored());
  // Whatever it lacks, it says the same.
  const command = 'node check.js > /dev/null 2>&1';
  const files = { ...project(), 'check.js': "process.exit(require('@acme/ours').word - require('./word.js'));" };
  const input = { description: 'Say 7.', files: { ...files, 'word.js': 'module.exports = 6;' } };
  const checks = [{ name: 'word', command, weight: 1 }];
  const asked = { ...input, acceptance: { checks }, ...(environment && { environment }) };
  const { id } = await hire(pair, { taskType: 'bug_fix', input: asked });
  const { sandbox, tasks: work } = pair.agent.agora;
  await work.start(id, { sandboxId: (await sandbox.provision(id)).data.sandboxId });
  await sandbox.exec(id, { command: "echo 'module.exports = 7;' > word.js" });
  await packageRegistries.remove({ kind: 'npm', url: closed.url });
  if (place !== 'of this host') {
    const layers = join(server.config.AGORA_DATA_DIR, 'dependencies/layers');
    for (const name of readdirSync(layers)) renameSync(join(layers, name), join(layers, `${name}.gone`));
  }
  await work.complete(id, { output: { result: 'word.js says 7.' } });
  await expect.poll(async () => (await tasks.get(id)).assessmentId).not.toBeNull();
  const { criteria } = await courts.getAssessment((await tasks.get(id)).assessmentId as string);
  expect(criteria.find(({ name }) => name === 'check: word')?.evidence).toMatch(says);
});

test('stay where the setup of the task fails', async () => {
  const pair = await makePair(server);
  const environment = { setup: 'require-nothing; exit 3' };
  const manifest = { ...root, dependencies: { rounding: '1.2.0' } };
  const files = { 'package.json': JSON.stringify(manifest), 'package-lock.json': lockOf(root, [rounding]) };
  const { packages, run } = await sandboxOf(pair, files, environment);
  expect(packages).toEqual({ installed: ['node_modules'], lacking: [expect.stringContaining('setup fails')] });
  expect(await run(`node -p "require('rounding').word"`)).toMatchObject({ stdout: '1\n' });
});

test('are nobody else’s, not even by their hash', async () => {
  const first = await makePair(server);
  await first.buyer.agora.packageRegistries.set(stored());
  expect((await sandboxOf(first, project())).packages?.lacking).toEqual([]);
  const other = await makePair(server);
  const unknown = await sandboxOf(other, project());
  expect(unknown.packages).toMatchObject({
    installed: [],
    lacking: [expect.stringContaining('agora package-registries set')],
  });
  const asPublic = await sandboxOf(other, project(`https://registry.npmjs.org${pathOf(ours)}`));
  expect(asPublic.packages).toMatchObject({
    installed: [],
    lacking: [expect.stringContaining('does not have @acme/ours')],
  });
  await other.buyer.agora.packageRegistries.set({ ...stored(), token: 'another' });
  const refused = await sandboxOf(other, project());
  expect(refused.packages?.lacking).toEqual([
    expect.stringContaining(`Your registry at ${new URL(closed.url).host} refuses @acme/ours`),
  ]);
});

test('need a registry that users may make the server call, and twenty of them at most', async () => {
  const { agora } = await server.owner({ credits: 0 });
  const set = (url: string) => agora.packageRegistries.set({ ...stored(), url });
  for (const url of [
    'http://10.0.0.1/npm',
    'https://192.168.0.7',
    'https://npm.example.com?x=1',
    'https://u:p@example.com',
    'https://{crate}.example.com',
  ])
    expect(await refusalOf(set(url))).toBe('400 VALIDATION_ERROR');
  for (let at = 0; at < 20; at++) await set(`https://npm.example.com/${at}`);
  await set('https://npm.example.com/0/');
  expect(await refusalOf(set('https://npm.example.com/20'))).toBe('400 VALIDATION_ERROR');
  expect((await agora.packageRegistries.list({ pageSize: 7 })).data).toHaveLength(7);
});

test('are not for a task that an agent submits, who could be talked into hiring somebody for them', async () => {
  const pair = await makePair(server);
  await pair.buyer.agora.packageRegistries.set(stored());
  const own = await pair.buyer.agent();
  await pair.buyer.agora.vault.allocate(own.id, { amount: 1000 });
  const input = { description: 'Say the word.', files: project() };
  const hired = { taskType: 'bug_fix', maxBudget: 500, input, agentId: pair.agent.id } as const;
  const { id } = (await own.agora.tasks.submitAsAgent(hired)) as { id: string };
  const { sandbox, tasks } = pair.agent.agora;
  await tasks.start(id, { sandboxId: (await sandbox.provision(id)).data.sandboxId });
  const { packages } = (await sandbox.get(id)).data;
  expect(packages).toMatchObject({ installed: [], lacking: [expect.stringContaining('does not fetch from')] });
});
