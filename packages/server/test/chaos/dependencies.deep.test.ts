import { readdirSync, readFileSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hire, makePair, type Pair } from '../api/scene.ts';
import { makeOwner } from '../support/harness.ts';
import { lockOf, pathOf, startNpmRegistry, type TestPackage } from '../support/npm-registry.ts';
import { clientsOf, createInstallation, type Installation } from './server-process.ts';

/** A server that is killed while it fetches or installs packages, registries that hang, and many tasks at once. */

const made = (name: string, files: Record<string, string> = {}, manifest = {}): TestPackage => ({
  ...{ name, version: '1.0.0', manifest },
  files: { 'index.js': `module.exports = '${name}';\n`, ...files },
});
/** Runs in sandboxes until a test ends it; no other process on the machine has the same words. */
const pauseOf = (nth: number) => `sleep 3600.${nth}${process.pid}`;
const pausing = made('pausing', {}, { scripts: { install: `${pauseOf(1)} || true` } });
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
const registry = await startNpmRegistry([quick, slow, shared, large, silent, pausing]);
let server: Installation;
async function install(fetchMs: number): Promise<void> {
  server = await createInstallation({
    DEPENDENCY_REGISTRIES: `npm=${registry.url}`,
    DEPENDENCY_TIMEOUT_MS: String(fetchMs),
    SANDBOX_WARM: '0',
    SANDBOX_MAX_LIVE: '100',
  });
  await server.start();
}
beforeAll(() => install(15_000));
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

test('fifty tasks with one lockfile fetch and install once', async () => {
  const before = (await below('layers')).filter(isLayer).length;
  const pairs = await Promise.all(Array.from({ length: 10 }, scene));
  const works = await Promise.all(
    pairs.flatMap(({ buyer, seller }) =>
      Array.from({ length: 5 }, async () => {
        const agent = await seller.agent();
        return { agent, id: (await hire({ buyer, agent }, needing(quick, shared))).id };
      }),
    ),
  );
  registry.asked.length = 0;
  const said = await Promise.all(works.map(({ agent, id }) => says(agent, id, 'ls node_modules')));
  expect(said).toEqual(Array(50).fill('quick\nshared\n'));
  expect(registry.asked.filter((path) => path === pathOf(shared))).toHaveLength(1);
  expect((await below('layers')).filter(isLayer)).toHaveLength(before + 1);
});

test('a registry that never answers holds no task for longer than the setting, and blames nobody', async () => {
  registry.answers.set(pathOf(silent), () => {});
  const { buyer, agent } = await scene();
  const { id } = await hire({ buyer, agent }, needing(silent));
  expect(await says(agent, id, 'ls')).not.toContain('node_modules');
  const said = 'Fetching the packages of package-lock.json took more than 15 s. Try again later.';
  expect((await agent.agora.sandbox.get(id)).data.packages).toEqual({ installed: [], lacking: [said] });
  expect((await buyer.agora.tasks.get(id)).inputWarnings).toEqual([said]);
  await agent.agora.tasks.complete(id, { output: { result: 'There is nothing to print' } });
  const { status, assessmentId } = await buyer.agora.tasks.get(id);
  expect(status).toBe('completed');
  const { passed, criteria } = await buyer.agora.courts.getAssessment(assessmentId as string);
  expect({ passed, ofPackages: criteria.filter(({ evidence }) => /packages/i.test(evidence)) }).toEqual({
    passed: true,
    ofPackages: [],
  });
});

/** Ids of the processes in sandboxes that do this now. */
const running = (command: string) =>
  readdirSync('/proc')
    .filter((name) => {
      if (!/^\d+$/.test(name)) return false;
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8') === `${command.replaceAll(' ', '\0')}\0`;
      } catch {
        // It has ended since.
        return false;
      }
    })
    .map(Number);

/** Ends a pause each time that a call comes to it. */
async function withoutPause<T>(command: string, call: Promise<T>): Promise<T> {
  let isOver = false;
  const ended = call.finally(() => {
    isOver = true;
  });
  await expect
    .poll(
      () => {
        for (const pid of running(command)) process.kill(pid);
        return isOver;
      },
      { interval: 50 },
    )
    .toBe(true);
  return ended;
}

/** Kills the server while a sandbox does what its call has begun, and starts it again. */
async function killDuring(command: string, call: () => Promise<unknown>) {
  await expect.poll(() => running(command), { interval: 20 }).toEqual([]);
  // A delivery is answered after 5 s also without a verdict, so on a busy machine before the kill.
  const settled = Promise.allSettled([call()]);
  await expect.poll(() => running(command).length, { interval: 20 }).toBeGreaterThan(0);
  await server.end('SIGKILL');
  await settled;
  await server.start();
}

describe('a server that is killed', () => {
  // As long as a busy machine takes to come to a pause and to end it.
  beforeAll(async () => {
    await server.remove();
    await install(120_000);
  });

  test.each([
    ['packages', pauseOf(1), undefined, 'node_modules/pausing/index.js'],
    ['the setup', pauseOf(2), { setup: `${pauseOf(2)}; echo made > made.txt` }, 'made.txt'],
  ])('while agent and gate wait for %s gives one verdict and pays once', async (_, pause, environment, path) => {
    const { buyer, agent } = await scene();
    const { input } = needing(environment ? quick : pausing);
    const acceptance = { checks: [{ name: 'done', command: `grep -q done done.txt && test -e ${path}` }] };
    const { id } = await hire(
      { buyer, agent },
      { taskType: 'general', input: { ...input, acceptance, ...(environment && { environment }) } },
    );
    await killDuring(pause, () => agent.agora.sandbox.provision(id));
    await withoutPause(pause, says(agent, id, 'echo done > done.txt'));
    const layers = join(server.dataDir, 'dependencies/layers');
    for (const name of (await readdir(layers)).filter((each) => !each.includes('.'))) {
      await rename(join(layers, name), join(layers, `${name}.gone`));
    }
    await killDuring(pause, () => agent.agora.tasks.complete(id, { output: { result: 'It is done' } }));
    const status = async () => (await buyer.agora.tasks.get(id)).status;
    await withoutPause(pause, expect.poll(status).not.toBe('quality_check'));
    const { status: end, creditsCharged } = await buyer.agora.tasks.get(id);
    expect(end).toBe('completed');
    const { data } = await buyer.agora.courts.listAssessments({ taskId: id });
    expect(data).toHaveLength(1);
    const { criteria } = await buyer.agora.courts.getAssessment(data[0]!.id);
    expect(criteria.find(({ name }) => name === 'check: done')).toMatchObject({ score: 100 });
    expect(creditsCharged).toBeGreaterThan(0);
    expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: 100_000 - creditsCharged!, held: 0 });
    expect(await server.command('verify-ledger')).toMatchObject({ code: 0 });
  });
});
