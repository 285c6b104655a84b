import { expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/driver.ts';
import { type Arena, until } from './limits.ts';

/** Attacks by what goes on by itself: background processes, and commands in a sandbox that is paused. */

const commandLines = async (box: Sandbox) =>
  (await box.exec({ command: 'cat /proc/[0-9]*/cmdline | tr "\\0" " "' })).stdout;

export function describeBackgroundAttacks(arena: Arena): void {
  it('a background flood of output is slowed down, and only its end is kept', async () => {
    const box = await arena.enter();
    const started = performance.now();
    box.processes.start('flood', { command: 'yes flooding; echo never' });
    await arena.attack(box, 'sleep 0.5');
    const [flood] = box.processes.list();
    const elapsedMs = performance.now() - started;
    expect(flood?.outputBytes).toBeGreaterThan(64 * 1024);
    expect(flood?.outputBytes).toBeLessThan((elapsedMs / 10 + 2) * 64 * 1024);
    const kept = box.processes.output('flood', 0);
    expect(kept?.bytes.length).toBeLessThanOrEqual(128 * 1024);
    expect(kept?.bytes.toString()).toMatch(/(flooding\n){10}/);
    expect(await box.processes.kill('flood')).toMatchObject({ exitCode: 137 });
  });

  it('a background process that leaves its group and session by two forks is found and ended', async () => {
    const box = await arena.enter();
    const leave = "trap '' TERM HUP; (setsid sh -c '(setsid sleep 6543 &) ; exec sleep 6543' &) ; exit 0";
    box.processes.start('escaped', { command: leave });
    await until(async () => (await commandLines(box)).split('sleep 6543').length > 2);
    // What it began with has ended long since, and it still counts as running.
    expect(box.processes.list()[0]).toMatchObject({ id: 'escaped', state: 'running' });
    await arena.attack(box, 'true');
    expect(await box.processes.kill('escaped')).toMatchObject({ state: 'exited', killed: true });
    expect(await commandLines(box)).not.toMatch(/sleep 6543 /);
  });

  it('a background process that respawns itself does not survive its kill, nor the sandbox', async () => {
    const box = await arena.enter();
    const phoenix = "r() { trap '' TERM; while :; do (setsid sleep 0.01 &); done; }; r & r & r & wait";
    for (const id of ['one', 'two']) box.processes.start(id, { command: phoenix });
    await arena.attack(box, 'sleep 0.2');
    expect(await box.processes.kill('one')).toMatchObject({ state: 'exited' });
    const started = performance.now();
    await box.destroy();
    await box.closed;
    expect(performance.now() - started).toBeLessThan(1_500);
    expect(box.processes.list().map(({ state }) => state)).toEqual(['exited', 'exited']);
  });

  it('who kills everything in reach hides nothing of what was used, and stops no measuring', async () => {
    const box = await arena.enter();
    const spin = 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done';
    box.processes.start('killer', {
      command: `trap '' CHLD; while :; do (${spin}) & (sleep 0.05; kill -9 -1) & wait; done`,
    });
    const before = (await box.usage()).cpuMs;
    await until(async () => (await box.usage()).cpuMs > before + 50);
    await box.processes.kill('killer');
    await arena.attack(box, 'true');
  });

  it('a paused sandbox cannot be let go on from inside, by processes that multiply either', async () => {
    const box = await arena.enter({ processes: 60 });
    const wake = 'while :; do kill -CONT -1; (kill -CONT -1; echo x >>/tmp/alive) & done';
    for (const id of ['one', 'two']) box.processes.start(id, { command: `trap '' TSTP; ${wake}` });
    await until(async () => (await box.read('/tmp/alive').catch(() => undefined)) !== undefined);
    await box.pause();
    const { sizeBytes } = await box.read('/tmp/alive');
    const { cpuMs } = await box.usage();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await box.read('/tmp/alive')).sizeBytes).toBe(sizeBytes);
    expect((await box.usage()).cpuMs - cpuMs).toBeLessThan(100);
    await box.resume();
    await until(async () => (await box.read('/tmp/alive')).sizeBytes > sizeBytes);
    await Promise.all(['one', 'two'].map((id) => box.processes.kill(id)));
    await arena.attack(box, 'true');
  });
}
