import { expect, it } from 'vitest';
import { readSnapshot } from '../../../src/sandbox/archive.ts';
import type { OutputChunk, Sandbox, SandboxDriver } from '../../../src/sandbox/driver.ts';
import { refusal, TEST_LIMITS, until } from './limits.ts';

/** The part of the conformance suite that is about commands which take long, go on by themselves or stand still. */

const textOf = (chunks: OutputChunk[], stream: OutputChunk['stream']) =>
  Buffer.concat(chunks.filter((chunk) => chunk.stream === stream).map(({ bytes }) => bytes)).toString();

export function describeStreams(box: () => Sandbox): void {
  it('hands output on while the command runs, and tells how it ended', async () => {
    const chunks: OutputChunk[] = [];
    const command = 'echo first; while [ ! -e go-on ]; do sleep 0.02; done; echo second >&2; exit 3';
    const end = box().execStreamed({ command }, async (chunk) => {
      chunks.push(chunk);
      if (chunk.bytes.toString() === 'first\n') await box().write({ path: 'go-on', content: Buffer.alloc(0) });
    });
    expect(await end).toMatchObject({ exitCode: 3, timedOut: false, truncated: false });
    expect([textOf(chunks, 'stdout'), textOf(chunks, 'stderr')]).toEqual(['first\n', 'second\n']);
  });

  it('keeps all that was written, far past what fits a reply, in order', async () => {
    const chunks: OutputChunk[] = [];
    const end = await box().execStreamed({ command: 'seq 1 200000' }, async (chunk) => void chunks.push(chunk));
    expect(end).toMatchObject({ exitCode: 0, truncated: false });
    const lines = textOf(chunks, 'stdout').trim().split('\n');
    expect(lines).toHaveLength(200_000);
    expect(lines.at(-1)).toBe('200000');
  });

  it('lets a command wait for a slow reader, and everybody else go on', async () => {
    let taken = 0;
    let readOn = () => {};
    const slow = new Promise<void>((resolve) => {
      readOn = resolve;
    });
    const command = 'head -c 1500000 /dev/zero; echo done >written';
    const end = box().execStreamed({ command }, async ({ bytes }) => {
      taken += bytes.length;
      await slow;
    });
    expect((await box().exec({ command: 'echo beside' })).stdout).toBe('beside\n');
    // It had the time of another command and more, and is not through: what nobody takes is not written.
    expect((await box().exec({ command: 'sleep 0.3; test -e written' })).exitCode).toBe(1);
    expect(taken).toBeLessThan(70_000);
    readOn();
    expect(await end).toMatchObject({ exitCode: 0 });
    expect(taken).toBe(1_500_000);
  });

  it('ends a command at its time-out although nobody reads, when its reader is gone and when its sink fails', async () => {
    const never = () => new Promise<void>(() => {});
    const started = performance.now();
    void box().execStreamed({ command: 'yes stalled', timeoutMs: 300 }, never);
    const reader = new AbortController();
    const gone = box().execStreamed({ command: 'yes gone' }, async () => reader.abort(), reader.signal);
    expect(await gone).toMatchObject({ exitCode: 137, timedOut: false });
    const failing = box().execStreamed({ command: 'yes failing' }, async () => {
      throw new Error('no more');
    });
    await expect(failing).rejects.toThrow('no more');
    const running = async () => (await box().exec({ command: 'cat /proc/[0-9]*/cmdline | tr "\\0" " "' })).stdout;
    await until(async () => !/yes (stalled|gone|failing)/.test(await running()));
    expect(performance.now() - started).toBeLessThan(7_000);
  });

  it('cuts a stream off at its cap and says so', async () => {
    let taken = 0;
    const end = await box().execStreamed({ command: 'head -c 3000000 /dev/zero' }, async ({ bytes }) => {
      taken += bytes.length;
    });
    expect(end).toMatchObject({ exitCode: 0, truncated: true });
    expect(taken).toBe(TEST_LIMITS.maxStreamBytes);
  });
}

export function describeBackground(driver: SandboxDriver, box: () => Sandbox): void {
  const ended = (id: string) => until(async () => stateOf(box(), id) === 'exited');

  it('runs a process beside everything else, and keeps its output and exit code', async () => {
    const started = await box().processes.start('beside', {
      command: 'echo out; echo err >&2; cat wanted; exit 4',
      cwd: '/tmp',
    });
    expect(started).toMatchObject({ id: 'beside', state: 'running', exitCode: null, killed: false });
    await ended('beside');
    const found = box().processes.output('beside', 0);
    expect(found?.bytes.toString()).toMatch(/^out\nerr\ncat: .*wanted/);
    expect(found?.process).toMatchObject({ state: 'exited', exitCode: 4 });
    expect(box().processes.output('beside', found?.next ?? 0)?.bytes.length).toBe(0);
    expect(box().processes.output('nobody', 0)).toBeUndefined();
  });

  it('lets it run past every time-out of commands, until it is killed with all it started', async () => {
    const short = await driver.create('background', { ...TEST_LIMITS, maxExecMs: 300 });
    short.processes.start('long', { command: 'sleep 7531 & (setsid sleep 7531 &); sleep 7531' });
    expect((await short.exec({ command: 'sleep 5' })).timedOut).toBe(true);
    expect(stateOf(short, 'long')).toBe('running');
    expect(await short.processes.kill('long')).toMatchObject({ state: 'exited', exitCode: 137, killed: true });
    expect((await short.exec({ command: 'cat /proc/[0-9]*/cmdline | tr "\\0" " "' })).stdout).not.toContain(
      'sleep 7531',
    );
    expect(await short.processes.kill('nobody')).toBeUndefined();
    short.processes.start('last', { command: 'sleep 7531' });
    await short.destroy();
    expect(stateOf(short, 'last')).toBe('exited');
  });

  it('bounds their number, and remembers no more of the ended than it says', async () => {
    const limit = TEST_LIMITS.background ?? 0;
    for (let n = 0; n < limit; n++) box().processes.start(`many-${n}`, { command: 'sleep 60' });
    await expect(box().processes.start('one-more', { command: 'true' })).rejects.toThrow('Background process limit');
    await Promise.all(Array.from({ length: limit }, (_, n) => box().processes.kill(`many-${n}`)));
    for (let n = 0; n < 20; n++) {
      box().processes.start(`brief-${n}`, { command: 'true' });
      await ended(`brief-${n}`);
    }
    expect(box().processes.list().length).toBeLessThanOrEqual(limit + 8);
    expect(box().processes.list().at(-1)?.id).toBe('brief-19');
  });
}

const stateOf = (box: Sandbox, id: string) => box.processes.list().find((process) => process.id === id)?.state;

export function describePauses(driver: SandboxDriver): void {
  it('measures what was used, the ended processes too', async () => {
    const box = await driver.create('usage', TEST_LIMITS);
    const before = await box.usage();
    await box.exec({ command: 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; head -c 5000000 /dev/zero >fill' });
    const after = await box.usage();
    expect(after.cpuMs - before.cpuMs).toBeGreaterThan(50);
    expect(after.diskBytes - before.diskBytes).toBeGreaterThanOrEqual(5_000_000);
    await box.destroy();
    expect(box.cpuMs()).toBeGreaterThanOrEqual(Math.floor(after.cpuMs));
  });

  it('is known to have used what a command in the background did, after it was ended', async () => {
    const box = await driver.create('burning', TEST_LIMITS);
    box.processes.start('burner', { command: 'while :; do :; done' });
    await until(async () => (await box.usage()).cpuMs > 100);
    const idle = box.exec({ command: 'sleep 60' }).catch(() => undefined);
    await box.destroy();
    await Promise.all([idle, box.closed]);
    expect(box.cpuMs()).toBeGreaterThan(100);
    expect(box.cpuMs()).toBeLessThan(30_000);
  });

  it('stops every command where it stands, refuses new ones, still gives files, and goes on after', async () => {
    const box = await driver.create('paused', TEST_LIMITS);
    const count = 'i=0; while :; do i=$((i+1)); echo $i >count.new; mv count.new count; sleep 0.01; done';
    box.processes.start('counter', { command: `(setsid sh -c '${count}' &)` });
    await until(() =>
      box.read('count').then(
        () => true,
        () => false,
      ),
    );
    const waiting = box.exec({ command: 'sleep 0.2; echo slept' });
    await box.pause();
    const counted = await box.read('count');
    expect(await refusal(box.exec({ command: 'true' }))).toBe('PAUSED');
    await expect(box.processes.start('late', { command: 'true' })).rejects.toThrow('paused');
    await box.write({ path: 'laid', content: Buffer.from('meanwhile') });
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect((await box.read('count')).content).toBe(counted.content);
    expect((await box.exportWorkspace(1024 * 1024)).includes('meanwhile')).toBe(true);
    await box.resume();
    expect((await waiting).stdout).toBe('slept\n');
    await until(async () => (await box.read('count')).content !== counted.content);
    await box.pause();
    await box.destroy();
  });

  it('holds its commands still for a while: new ones wait, and one that was paused meanwhile stays so', async () => {
    const box = await driver.create('stilled', TEST_LIMITS);
    expect(box.isBusy).toBe(false);
    await box.processes.start('beside', {
      command: 'until [ -e enough ]; do date +%s%N >now.new; mv now.new now; done',
    });
    expect(box.isBusy).toBe(true);
    const late: string[] = [];
    const seen = () => box.exportWorkspace(1024 * 1024);
    const wait = () => new Promise((resolve) => setTimeout(resolve, 100));
    let command: Promise<unknown> | undefined;
    let started: Promise<unknown> | undefined;
    await box.still(async () => {
      const before = await seen();
      command = box.exec({ command: 'echo late; touch enough' }).then(({ stdout }) => late.push(stdout));
      started = box.processes.start('later', { command: 'touch later' });
      await wait();
      expect((await seen()).equals(before)).toBe(true);
    });
    await Promise.all([command, started]);
    expect(late).toEqual(['late\n']);
    await until(async () => !box.isBusy);
    await box.still(async () => {
      await box.pause();
    });
    expect(await refusal(box.exec({ command: 'true' }))).toBe('PAUSED');
    await box.still(() => box.resume());
    expect((await box.exec({ command: 'echo on' })).stdout).toBe('on\n');
    await expect(box.still(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect((await box.exec({ command: 'echo on' })).stdout).toBe('on\n');
    expect(box.ending.aborted).toBe(false);
    await box.destroy();
  });
}

export function describeSnapshots(driver: SandboxDriver): void {
  it('shows the workspace with the content of small files only, and changes nothing', async () => {
    const box = await driver.create('snapshot', TEST_LIMITS);
    await box.exec({
      command:
        'mkdir -p d/empty shut; echo small >d/f; truncate -s 1G sparse; ln -s / d/link; echo x >closed; chmod 0 closed shut; mkfifo p',
    });
    const shown = [...readSnapshot(await box.snapshot({ maxFileBytes: 1000, maxBytes: 10_000 }))];
    const found = Object.fromEntries(
      shown.map(({ path, type, sizeBytes, content }) => [path, [type, sizeBytes, content?.toString()]]),
    );
    expect(found).toEqual({
      d: ['directory', 0, ''],
      'd/empty': ['directory', 0, ''],
      'd/f': ['file', 6, 'small\n'],
      'd/link': ['symlink', 1, '/'],
      sparse: ['file', 1024 ** 3, undefined],
      closed: ['file', 2, undefined],
      shut: ['directory', 0, undefined],
    });
    expect((await box.exec({ command: 'stat -c %a closed shut' })).stdout).toBe('0\n0\n');
    const tight = [...readSnapshot(await box.snapshot({ maxFileBytes: 1000, maxBytes: 3 }))];
    expect(tight.find(({ path }) => path === 'd/f')).toMatchObject({ sizeBytes: 6, content: undefined });
    await box.destroy();
  });
}
