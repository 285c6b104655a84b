import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecResult, Sandbox, SandboxDriver } from '../../../src/sandbox/driver.ts';
import { describeBackgroundAttacks } from './attacks-background.ts';
import { describeEscapes } from './attacks-escape.ts';
import { type Arena, COMPILER, TEST_LIMITS } from './limits.ts';

/**
 * What every driver must contain. Each test shows that the attack ran, what stopped it, and that the sandbox, its
 * neighbour and the host go on working. The attacks themselves are in `native/test/attack.c`.
 */

const SOURCE = fileURLToPath(new URL('../../../native/test/attack.c', import.meta.url));
const MIB = 1024 * 1024;

function compileAttacks(): Buffer {
  const dir = mkdtempSync(join(tmpdir(), 'agora-attacks-'));
  const program = join(dir, 'attack');
  const run = spawnSync(COMPILER, ['-std=c11', '-D_GNU_SOURCE', '-O1', '-o', program, SOURCE], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`The attacks could not be compiled: ${run.error?.message ?? run.stderr}`);
  const bytes = readFileSync(program);
  rmSync(dir, { recursive: true });
  return bytes;
}

const REFUSALS =
  /Resource temporarily unavailable|Cannot allocate memory|No space left|Connection refused|Network is unreachable|(Address family|Protocol) not supported|Operation not permitted|Permission denied|Read-only file system|Bad file descriptor|Function not implemented|No such file or directory/g;

/** In a few words, for people who read the run: what it must be, the tests themselves say. */
function whatStopped({ stdout, stderr, exitCode, timedOut, truncated }: ExecResult): string {
  const said = new Set(`${stdout.slice(0, 20_000)}\n${stderr}`.match(REFUSALS));
  if (timedOut) said.add('ended at its time-out');
  else if (exitCode > 128) said.add(`ended by signal ${exitCode - 128}`);
  if (truncated) said.add('output cut off');
  if (said.size === 0) said.add(`exit code ${exitCode}, "${stdout.trim().split('\n').at(-1)?.slice(0, 60)}"`);
  return [...said].join(', ');
}

export function describeAttacks(name: string, makeDriver: () => SandboxDriver): void {
  describe(`${name}: attacks`, () => {
    const driver = makeDriver();
    const open: Sandbox[] = [];
    const stopped = new Set<string>();
    let program: Buffer;
    let neighbour: Sandbox;
    const alive = async (box: Sandbox) => {
      expect(await box.exec({ command: 'echo alive' })).toMatchObject({ stdout: 'alive\n', exitCode: 0 });
    };
    const arena: Arena = {
      async enter(limits = {}) {
        const box = await driver.create('attack', { ...TEST_LIMITS, ...limits });
        open.push(box);
        await box.write({ path: 'attack', content: program, executable: true });
        return box;
      },
      async attack(box, command, timeoutMs = 5_000) {
        const result = await box.exec({ command, timeoutMs });
        stopped.add(`${expect.getState().currentTestName}: ${whatStopped(result)}`);
        await alive(box);
        expect((await box.list('.')).entries.map((entry) => entry.name)).toContain('attack');
        await alive(neighbour);
        return result;
      },
      neighbour: () => neighbour,
    };
    beforeAll(async () => {
      // A machine without a working driver must fail here: skipping would look like passing.
      expect(await driver.probe()).toMatchObject({ available: true });
      program = compileAttacks();
      neighbour = await driver.create('neighbour', TEST_LIMITS);
    });
    afterAll(async () => {
      console.log([...stopped].join('\n'));
      await Promise.all([...open, neighbour].map((box) => box?.destroy()));
    });
    describeProcessAttacks(arena);
    describeBackgroundAttacks(arena);
    describeMemoryAttacks(arena);
    describeDiskAttacks(arena);
    describeEscapes(arena, driver);
  });
}

function describeProcessAttacks(arena: Arena): void {
  it('a fork bomb stops at the limit and ends at its time-out', async () => {
    const box = await arena.enter({ processes: 40 });
    const result = await arena.attack(box, './attack forkbomb', 1_500);
    expect(result.stdout).toContain('fork Resource temporarily unavailable');
    const forked = Number(result.stdout.match(/forked (\d+)/)?.[1]);
    expect(forked).toBeGreaterThan(10);
    expect(forked).toBeLessThan(40);
    expect(result.timedOut).toBe(true);
    expect((await box.exec({ command: 'cat /proc/[0-9]*/comm' })).stdout).not.toContain('attack');
  });

  it('a fork bomb in the background leaves room for the agent, and dies with the sandbox', async () => {
    const box = await arena.enter({ processes: 40 });
    await box.exec({ command: './attack forkbomb >log 2>&1 & sleep 0.4' });
    // On a busy machine the bomb takes its time to get there.
    const log = async () => (await box.read('log')).content;
    await expect.poll(async () => await log()).toContain('fork Resource temporarily unavailable');
    expect((await box.exec({ command: 'kill -9 -1' })).exitCode).toBe(137);
    // The dead count until they have been reaped.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await box.exec({ command: 'ls | wc -l' })).stdout.trim()).toBe('2');
    await box.exec({ command: './attack forkbomb >log 2>&1 & sleep 0.4' });
    const started = performance.now();
    await box.destroy();
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  it('a flood of zombies stops at the limit and is reaped', async () => {
    const box = await arena.enter({ processes: 40 });
    const result = await arena.attack(box, './attack zombies');
    expect(result.stdout).toContain('fork Resource temporarily unavailable');
    expect(Number(result.stdout.match(/zombies (\d+)/)?.[1])).toBeLessThan(40);
    const orphans = 'i=0; while [ $i -lt 300 ]; do (true &); i=$((i+1)); done; sleep 0.2; cat /proc/[0-9]*/stat';
    expect((await arena.attack(box, orphans)).stdout).not.toMatch(/\) Z /);
  });

  it('an endless loop gets its share of the CPU and ends at its time-out', async () => {
    const box = await arena.enter({ cpus: 0.5 });
    const burnt = await arena.attack(box, './attack spin 4 2000');
    // Without a limit two processors give 4000 ms, and one gives 2000.
    const cpuMs = Number(burnt.stdout.match(/cpu (\d+)/)?.[1]);
    expect(cpuMs).toBeGreaterThan(300);
    expect(cpuMs).toBeLessThan(1_600);
    expect((await arena.attack(box, 'while :; do :; done', 300)).timedOut).toBe(true);
  });

  it('a flood of output is counted off and thrown away', async () => {
    const box = await arena.enter();
    const result = await arena.attack(box, "head -c 60000000 /dev/zero | tr '\\0' x; echo survived >&2");
    expect(result).toMatchObject({ truncated: true, exitCode: 0, stderr: 'survived\n' });
    expect(result.stdout.length).toBe(TEST_LIMITS.maxOutputBytes);
  });

  it('pid 1 cannot be killed from inside', async () => {
    const box = await arena.enter();
    const result = await arena.attack(box, './attack killinit; kill -9 1; echo sent');
    expect(result.stdout).toContain('sent');
    expect(await Promise.race([box.closed.then(() => 'ended'), Promise.resolve('running')])).toBe('running');
  });
}

function describeMemoryAttacks(arena: Arena): void {
  it('a process that takes ever more memory is refused or ended', async () => {
    const box = await arena.enter();
    const result = await arena.attack(box, './attack hog 2000');
    expect(result.stdout).toContain('filled 16\n');
    expect(result.stdout).not.toContain('filled 400\n');
    expect(result.exitCode === 137 || result.stdout.includes('Cannot allocate memory')).toBe(true);
  });

  it('twenty processes of 200 MB each do not add up', async () => {
    const box = await arena.enter();
    const result = await arena.attack(box, './attack many 20 200');
    // Of processes over the limit the one that counts the others may be the first to be ended, and says nothing then.
    if (result.exitCode === 137) return expect(result.stdout).not.toContain('done');
    const [, killed, refused, done] = result.stdout.match(/killed (\d+) refused (\d+) done (\d+)/)?.map(Number) ?? [];
    expect(killed! + refused!).toBe(20);
    expect(done).toBe(0);
  });

  it('memory that belongs to no process is counted too', async () => {
    const box = await arena.enter();
    const result = await arena.attack(box, './attack memfd 2000');
    expect(result.stdout).not.toContain('filled 400\n');
    expect(result.exitCode === 137 || result.stdout.includes('write Bad file descriptor')).toBe(true);
  });
}

function describeDiskAttacks(arena: Arena): void {
  it.each(['/workspace', '/tmp', '/dev/shm'])('filling %s ends in ENOSPC, and deleting helps', async (disk) => {
    const box = await arena.enter();
    const result = await arena.attack(
      box,
      `head -c 60000000 /dev/zero >${disk}/fill; echo $?; stat -c %s ${disk}/fill`,
    );
    expect(result.stderr).toContain('No space left on device');
    const [, size] = result.stdout.trim().split('\n').map(Number);
    expect(size).toBeGreaterThan(MIB);
    expect(size).toBeLessThanOrEqual(16 * MIB);
    expect((await arena.attack(box, `rm ${disk}/fill && echo x >${disk}/again && cat ${disk}/again`)).stdout).toBe(
      'x\n',
    );
  });

  it('empty files without number end the command that makes them, and can be deleted', async () => {
    const box = await arena.enter();
    const command = 'mkdir many; cd many; ../attack inodes';
    const result = await arena.attack(box, command, 8_000);
    expect(result).toMatchObject({ timedOut: false, exitCode: 137 });
    expect(result.stdout).toContain('created 20000\n');
    expect((await arena.attack(box, 'find many -delete; ls | wc -l', 8_000)).stdout.trim()).toBe('1');
  });

  it.each(['/', '/dev', '/etc', '/usr/bin', '/run', '/var', '/agent'])('%s cannot be written', async (place) => {
    const box = await arena.enter();
    const result = await arena.attack(box, `test -e ${place} && echo there; echo x >>${place}/x || echo x >>${place}`);
    expect(result.stdout).toBe('there\n');
    expect(result.stderr).toMatch(/Read-only file system|Permission denied|Is a directory|Text file busy/);
    expect(result.exitCode).not.toBe(0);
  });
}
