import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hire, makePair, type Pair } from '../api/scene.ts';
import { makeOwner } from '../support/harness.ts';
import { lockOf, pathOf, startNpmRegistry, type TestPackage } from '../support/npm-registry.ts';
import { clientsOf, createInstallation, type Installation } from './server-process.ts';

/** A server that is killed while it fetches or installs packages, registries that hang, and many tasks at once. */

const made = (name: string, files: Record<string, string> = {}): TestPackage => ({
  name,
  version: '1.0.0',
  files: { 'index.js': `module.exports = '${name}';\n`, ...files },
});
const [quick, slow, shared, large, silent] = [
  made('quick'),
  made('slow'),
  made('shared'),
  made(
    'large',
    Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`files/${n}.js`, `module.exports = ${n};\n`])),
  ),
  made('silent'),
];
const registry = await startNpmRegistry([quick, slow, shared, large, silent]);
let server: Installation;
beforeAll(async () => {
  server = await createInstallation({
    DEPENDENCY_REGISTRIES: `npm=${registry.url}`,
    DEPENDENCY_TIMEOUT_MS: '15000',
    SANDBOX_WARM: '0',
  });
  await server.start();
});
afterAll(async () => {
  await server?.remove();
  await registry.close();
});

const scene = () => makePair({ owner: ({ credits = 100_000 } = {}) => makeOwner(clientsOf(server), credits) });
const root = { name: 'shop', version: '1.0.0' };
const needing = (...packages: TestPackage[]) => ({
  taskType: 'general' as const,
  input: {
    description: 'Print what you need',
    files: {
      'package.json': JSON.stringify({
        ...root,
        dependencies: Object.fromEntries(packages.map(({ name, version }) => [name, version])),
      }),
      'package-lock.json': lockOf(root, packages),
    },
  },
});
const isLayer = (path: string) => !path.includes('/');
const isPackage = (path: string) => path.split('/').length === 4;
const below = (...parts: string[]) => readdir(join(server.dataDir, 'dependencies', ...parts), { recursive: true });

/** The agent's sandbox for the task, after the server has come back. */
async function says({ agora: { sandbox, tasks } }: Pair['agent'], taskId: string, command: string): Promise<string> {
  const { data } = await sandbox.provision(taskId);
  await tasks.start(taskId, { sandboxId: data.sandboxId });
  return (await sandbox.exec(taskId, { command })).data.stdout;
}

test('a server that is killed while it fetches goes on with what it had, and keeps nothing half', async () => {
  const { buyer, agent } = await scene();
  const { id } = await hire({ buyer, agent }, needing(quick, slow));
  const asked = new Promise<void>((resolve) => {
    registry.answers.set(pathOf(slow), (_, response) => {
      response.write('half');
      resolve();
    });
  });
  const broken = agent.agora.sandbox.provision(id).catch(() => 'broken');
  await asked;
  await expect
    .poll(async () => (await below('content-v2')).filter((path) => isPackage(path) && !path.includes('.')).length)
    .toBe(1);
  await server.end('SIGKILL');
  expect(await broken).toBe('broken');
  registry.answers.delete(pathOf(slow));
  await server.start();
  expect(await says(agent, id, "node -p \"require('quick') + require('slow')\"")).toBe('quickslow\n');
  expect(registry.asked.filter((path) => path === pathOf(quick))).toHaveLength(1);
  expect((await below('content-v2')).filter(isPackage)).toHaveLength(2);
});

test('a server that is killed while it installs leaves no half installation and no sandbox', async () => {
  const { buyer, agent } = await scene();
  const { id } = await hire({ buyer, agent }, needing(large));
  const before = (await below('layers')).filter(isLayer);
  const broken = agent.agora.sandbox.provision(id).catch(() => 'broken');
  await expect.poll(() => server.sandboxes(), { timeout: 20_000, interval: 5 }).toBeGreaterThan(0);
  await server.end('SIGKILL');
  expect(await broken).toBe('broken');
  await server.start();
  expect((await below('layers')).filter(isLayer)).toEqual(before);
  expect(await says(agent, id, 'ls node_modules/large/files | wc -l')).toBe('3000\n');
});

test('many tasks with one lockfile fetch and install once', async () => {
  const before = (await below('layers')).filter(isLayer).length;
  const pairs = await Promise.all(Array.from({ length: 10 }, scene));
  const tasks = await Promise.all(pairs.map((pair) => hire(pair, needing(quick, shared))));
  registry.asked.length = 0;
  await Promise.all(tasks.map(({ id }, nth) => pairs[nth]!.agent.agora.sandbox.provision(id)));
  expect(registry.asked.filter((path) => path === pathOf(shared))).toHaveLength(1);
  expect((await below('layers')).filter(isLayer)).toHaveLength(before + 1);
});

test('a registry that never answers holds no task for longer than the setting, and blames nobody', async () => {
  registry.answers.set(pathOf(silent), () => {});
  const { buyer, agent } = await scene();
  const { id } = await hire({ buyer, agent }, needing(silent));
  expect(await says(agent, id, 'ls')).not.toContain('node_modules');
  await agent.agora.tasks.complete(id, { output: { result: 'There is nothing to print' } });
  expect(await agent.agora.tasks.get(id)).toMatchObject({ status: 'completed' });
});
