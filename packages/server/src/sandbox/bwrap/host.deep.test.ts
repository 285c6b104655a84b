import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromSources } from '../../../test/support/from-sources.ts';
import { TEST_LIMITS } from '../../../test/support/sandbox/limits.ts';
import { sandboxesMemoryBytes } from '../../platform/index.ts';
import { BwrapDriver } from './bwrap.ts';
import { findGroupHomes, groupNames } from './cgroup-tree.ts';
import { findAgents } from './owner.ts';

/** What the bwrap driver does to the host around its sandboxes. */

const installationId = `test-host-${process.pid}`;
const group = `agora-${installationId}`;
const isRoot = process.getuid?.() === 0;
const groups = () => groupNames(findGroupHomes(group).homes);

function hostProcesses(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text);
    } catch {
      return false;
    }
  });
}

async function eventually(what: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 200 && !what(); tries++) await sleep(10);
  return what();
}

function startVictim(controlGroups: string) {
  const script = fileURLToPath(new URL('../../../test/support/sandbox/crash-victim.ts', import.meta.url));
  const victim = spawn(process.execPath, [...fromSources, script, installationId, controlGroups], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const running = new Promise<void>((resolve, reject) => {
    victim.stdout.on('data', (bytes) => String(bytes).includes('running') && resolve());
    victim.on('exit', () => reject(new Error('the victim ended by itself')));
  });
  running.catch(() => {});
  return { victim, running };
}

describe('the bwrap driver on its host', () => {
  const driver = new BwrapDriver({ installationId });
  beforeAll(async () => {
    expect(await driver.probe()).toMatchObject({ available: true });
  });
  afterAll(() => driver.forget());

  it('leaves no process and no control group behind', async () => {
    const boxes = await Promise.all([1, 2, 3].map((n) => driver.create(`box-${n}`, TEST_LIMITS)));
    await Promise.all(boxes.map((box) => box.exec({ command: 'sleep 4321 & (setsid sleep 4321 &)' })));
    expect(findAgents(`agora/${installationId}/`)).toHaveLength(3);
    expect(hostProcesses('sleep 4321').length).toBeGreaterThanOrEqual(6);
    if (driverGroups()) expect(groups()).toHaveLength(3);
    await Promise.all(boxes.map((box) => box.destroy()));
    expect(hostProcesses('sleep 4321')).toEqual([]);
    expect(findAgents(`agora/${installationId}/`)).toEqual([]);
    expect(groups()).toEqual([]);
  });

  const driverGroups = () => findGroupHomes(group).homes.length > 0;

  it('gives all sandboxes together no more memory than leaves the server its own', () => {
    const { homes, missing } = findGroupHomes(group);
    const home = homes.find(({ controllers }) => controllers.includes('memory'));
    expect(sandboxesMemoryBytes()).toBeLessThan(totalmem());
    // A machine that has no such control group says so.
    if (home === undefined) return expect(missing.memory).toEqual(expect.any(String));
    const file = home.version === 1 ? 'memory.limit_in_bytes' : 'memory.max';
    expect(Number(readFileSync(join(home.dir, file), 'utf8'))).toBe(sandboxesMemoryBytes());
  });

  it.runIf(isRoot)('never runs as root, and gives each live sandbox a user of its own', async () => {
    const boxes = await Promise.all([1, 2].map((n) => driver.create(`uid-${n}`, TEST_LIMITS)));
    const agents = findAgents(`agora/${installationId}/`).map(({ pid }) => readFileSync(`/proc/${pid}/status`, 'utf8'));
    const uids = agents.map((status) => status.match(/^Uid:\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)/m)!.slice(1));
    for (const four of uids) {
      expect(new Set(four).size).toBe(1);
      expect(Number(four[0])).toBeGreaterThan(1_000);
    }
    expect(new Set(uids.flat()).size).toBe(2);
    for (const status of agents) expect(status).toMatch(/^Groups:\s*$/m);
    await Promise.all(boxes.map((box) => box.destroy()));
  });

  it('notices when a sandbox ends by itself, and cleans up after it', async () => {
    const box = await driver.create('ends', TEST_LIMITS);
    const pending = box.exec({ command: 'sleep 60' });
    const [agent] = findAgents(`agora/${installationId}/`);
    process.kill(agent!.pid, 'SIGKILL');
    await expect(pending).rejects.toMatchObject({ code: 'SANDBOX_GONE' });
    await box.closed;
    expect(groups()).toEqual([]);
    await box.destroy();
  });

  it('has the kernel end commands before the agent when memory runs out', async () => {
    const box = await driver.create('memory', TEST_LIMITS);
    const order = await box.exec({ command: 'cat /proc/1/oom_score_adj /proc/self/oom_score_adj' });
    const [agent, command] = order.stdout.split('\n').map(Number);
    expect(command).toBeGreaterThan(agent!);
    // Faster than anybody looks, so the kernel's own ceiling is what stops it.
    const hogs = 'perl -e \'$x = "a" x 900000000; sleep 1\' & ';
    for (let round = 0; round < 3; round++) await box.exec({ command: `${hogs.repeat(4)} wait` });
    expect((await box.exec({ command: 'echo alive' })).stdout).toBe('alive\n');
    expect(findAgents(`agora/${installationId}/`)).toHaveLength(1);
    await box.destroy();
  });

  it('ends a thrashing sandbox about as soon as one that does nothing', async () => {
    const thrash =
      'for i in 1 2 3 4 5 6 7 8; do while :; do :; done & done; (while :; do head -c 60000000 /dev/zero | tail; done) &';
    const endMs = async (command: string) => {
      const box = await driver.create('thrash', { ...TEST_LIMITS, cpus: 0.1 });
      await box.exec({ command });
      await sleep(500);
      const started = performance.now();
      await box.destroy();
      return performance.now() - started;
    };
    const calmMs = Math.max(await endMs('true'), await endMs('true'));
    // Within its own tenth of a CPU it would need seconds.
    expect(await endMs(thrash)).toBeLessThan(20 * calmMs);
  });

  it.each(['auto', 'off'])('a server that is killed takes its sandboxes along (control groups %s)', async (mode) => {
    const { victim, running } = startVictim(mode);
    await running;
    expect(findAgents(`agora/${installationId}/`)).toHaveLength(2);
    victim.kill('SIGKILL');
    expect(await eventually(() => findAgents(`agora/${installationId}/`).length === 0)).toBe(true);
    expect(await eventually(() => hostProcesses('sleep 8642').length === 0)).toBe(true);
    await driver.reclaim();
    expect(groups()).toEqual([]);
  });

  it('reclaims what an earlier server left, and nothing of a live one', async () => {
    const { victim, running } = startVictim('auto');
    await running;
    const mine = await driver.create('mine', TEST_LIMITS);
    await driver.reclaim();
    expect(findAgents(`agora/${installationId}/`)).toHaveLength(3);
    victim.kill('SIGKILL');
    await eventually(() => findAgents(`agora/${installationId}/`).length === 1);
    for (const { dir } of findGroupHomes(group).homes) mkdirSync(join(dir, '999999999-1.1'), { recursive: true });
    await driver.reclaim();
    expect(findAgents(`agora/${installationId}/`)).toHaveLength(1);
    if (driverGroups()) expect(groups()).toHaveLength(1);
    expect((await mine.exec({ command: 'echo alive' })).stdout).toBe('alive\n');
    await mine.destroy();
  });

  it('says what is missing and how to cure it', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'agora-unbuilt-'));
    const unbuilt = new BwrapDriver({ installationId, nativeDir: empty, runtimeDir: join(empty, 'run') });
    expect(await unbuilt.probe()).toEqual({ available: false, reason: expect.stringContaining(`is not in ${empty}`) });
    await expect(unbuilt.create('x', TEST_LIMITS)).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    const absent = new BwrapDriver({ installationId, bwrapPath: join(empty, 'bwrap') });
    expect(await absent.probe()).toEqual({ available: false, reason: expect.stringContaining('apt-get install') });
    // A server without sandboxes must still start.
    await absent.reclaim();
    const broken = new BwrapDriver({ installationId, bwrapPath: '/bin/false' });
    expect(await broken.probe()).toMatchObject({
      available: false,
      reason: expect.stringContaining('could not be started'),
    });
    rmSync(empty, { recursive: true });
    expect(existsSync(empty)).toBe(false);
    expect(groups()).toEqual([]);
  });
});
