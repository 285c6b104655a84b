import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxDriver, SandboxErrorCode, SandboxLimits } from './driver.ts';

/** What every driver keeps to, whatever it is built on. A driver's own test file calls `describeDriver`. */

const MIB = 1024 * 1024;

export const TEST_LIMITS: SandboxLimits = {
  cpus: 1,
  memoryBytes: 96 * MIB,
  processes: 96,
  diskBytes: 16 * MIB,
  maxExecMs: 8_000,
  maxOutputBytes: 64 * 1024,
};

export function describeDriver(name: string, makeDriver: () => SandboxDriver): void {
  describe(`${name}: conformance`, () => {
    const driver = makeDriver();
    let box: Sandbox;
    beforeAll(async () => {
      // A machine without a working driver must fail here: skipping would look like passing.
      expect(await driver.probe()).toMatchObject({ available: true });
      box = await driver.create('conformance', TEST_LIMITS);
    });
    afterAll(() => box?.destroy());
    describeCommands(() => box);
    describeEndings(() => box);
    describeFiles(() => box);
    describeRefusals(() => box);
    describeArchives(driver, () => box);
    describeDestruction(driver);
  });
}

export const refusal = (promise: Promise<unknown>): Promise<SandboxErrorCode | 'none'> =>
  promise.then(
    () => 'none' as const,
    (error: { code: SandboxErrorCode }) => error.code,
  );

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const text = (path: string, content: string) => ({ path, content: Buffer.from(content) });

function describeCommands(box: () => Sandbox): void {
  it('keeps stdout, stderr and the exit code apart', async () => {
    const result = await box().exec({ command: 'echo out; echo err >&2; exit 3' });
    expect(result).toMatchObject({ exitCode: 3, stdout: 'out\n', stderr: 'err\n', timedOut: false, truncated: false });
    expect(result.durationMs).toBeLessThan(2_000);
  });

  it('reports a death by signal as 128 plus its number', async () => {
    expect((await box().exec({ command: 'kill -TERM $$' })).exitCode).toBe(143);
  });

  it('passes stdin, environment and directory on', async () => {
    await box().exec({ command: 'mkdir -p deep/er' });
    const request = {
      command: 'cat; echo "$GREETING"; pwd',
      stdin: 'in\n',
      env: { GREETING: "a 'b'" },
      cwd: 'deep/er',
    };
    expect((await box().exec(request)).stdout).toBe("in\na 'b'\n/workspace/deep/er\n");
  });

  it('gives commands a neutral environment and identity', async () => {
    const { stdout } = await box().exec({ command: 'env | cut -d= -f1 | sort | tr "\\n" " "; id -u; hostname; ls /' });
    expect(stdout).toContain('HOME LANG PATH PWD TERM USER 1000\nsandbox\n');
    expect(stdout).not.toMatch(/^(root|home|work|sys|srv|opt|mnt|boot)$/m);
  });

  it('says so when the directory is not there, and runs nothing', async () => {
    const result = await box().exec({ command: 'echo ran', cwd: 'nowhere' });
    expect(result).toMatchObject({ exitCode: 126, stdout: '' });
    expect(result.stderr).toContain('/workspace/nowhere');
  });

  it('carries a megabyte of stdin through, and drops it when nobody reads', async () => {
    const stdin = 'x'.repeat(MIB);
    expect((await box().exec({ command: 'wc -c', stdin })).stdout.trim()).toBe(String(MIB));
    expect((await box().exec({ command: 'exit 5', stdin })).exitCode).toBe(5);
    expect((await box().exec({ command: 'exec <&-; sleep 0.1; echo still', stdin })).stdout).toBe('still\n');
  });

  it('keeps the first bytes of too much output, in whole characters, and says it was cut', async () => {
    const result = await box().exec({ command: 'yes é | head -c 500001; echo short >&2' });
    expect(result).toMatchObject({ exitCode: 0, truncated: true, stderr: 'short\n' });
    expect(result.stdout.startsWith('é\né\n')).toBe(true);
    expect(result.stdout).not.toContain('\ufffd');
    expect(Buffer.byteLength(result.stdout)).toBeGreaterThan(TEST_LIMITS.maxOutputBytes - 4);
  });

  it('runs twenty commands at once without mixing them up', async () => {
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const results = await Promise.all(
      numbers.map((n) => box().exec({ command: `sleep 0.05; cat; echo ${n}`, stdin: `${n}-` })),
    );
    expect(results.map((result) => result.stdout)).toEqual(numbers.map((n) => `${n}-${n}\n`));
  });

  it('shares the workspace and /tmp between commands', async () => {
    await box().exec({ command: 'echo 1 >shared; echo 2 >/tmp/shared' });
    expect((await box().exec({ command: 'cat shared /tmp/shared' })).stdout).toBe('1\n2\n');
  });

  it('refuses what cannot be passed to a program', async () => {
    expect(await refusal(box().exec({ command: 'echo a\0b' }))).toBe('REFUSED');
    expect(await refusal(box().exec({ command: 'true', env: { 'A=B': '1' } }))).toBe('REFUSED');
    expect(await refusal(box().exec({ command: 'x'.repeat(600_000) }))).toBe('REFUSED');
  });
}

function describeEndings(box: () => Sandbox): void {
  it('ends a command at its time-out with everything it started, daemons too', async () => {
    const started = performance.now();
    const command = "(setsid sh -c 'exec sleep 7654' &); sh -c 'sleep 7654; true' & trap '' TERM; echo on; sleep 7654";
    const result = await box().exec({ command, timeoutMs: 300 });
    expect(result).toMatchObject({ timedOut: true, exitCode: 137, stdout: 'on\n' });
    expect(performance.now() - started).toBeLessThan(2_000);
    expect((await box().exec({ command: 'cat /proc/[0-9]*/cmdline | tr "\\0" " "' })).stdout).not.toContain(
      'sleep 7654 ',
    );
  });

  it('cuts a longer time-out down to the ceiling', async () => {
    const short = { ...box().limits };
    expect(short.maxExecMs).toBe(TEST_LIMITS.maxExecMs);
    const result = await box().exec({ command: 'sleep 30', timeoutMs: 1e12 });
    expect(result.timedOut).toBe(true);
    expect(result.durationMs).toBeLessThan(TEST_LIMITS.maxExecMs + 2_000);
  }, 15_000);

  it('replies when the command ends, while what it left in the background goes on', async () => {
    const result = await box().exec({ command: '(sleep 0.3; echo late; echo done >bg) & echo $!; echo main' });
    expect(result.stdout).toMatch(/^\d+\nmain\n$/);
    expect(result.durationMs).toBeLessThan(250);
    await pause(700);
    // The late line went nowhere, and did not kill its writer.
    expect((await box().exec({ command: 'cat bg' })).stdout).toBe('done\n');
  });

  it('keeps all output of a command that writes and ends at once', async () => {
    const result = await box().exec({ command: 'head -c 60000 /dev/zero | tr "\\0" a' });
    expect(result.stdout.length).toBe(60_000);
  });
}

function describeFiles(box: () => Sandbox): void {
  it('writes with missing directories, reads back and lists', async () => {
    await box().write(text('made/for/it.txt', 'hällo\n'));
    await box().write({ path: '/workspace/made/run', content: Buffer.from('#!/bin/sh\necho ran\n'), executable: true });
    const read = await box().read('made/for/it.txt');
    expect(read).toEqual({
      path: '/workspace/made/for/it.txt',
      content: 'hällo\n',
      encoding: 'utf8',
      sizeBytes: 7,
      truncated: false,
    });
    const entries = await box().list('/workspace/made/');
    expect(entries.map(({ name, path, type }) => [name, path, type])).toEqual([
      ['for', '/workspace/made/for', 'directory'],
      ['run', '/workspace/made/run', 'file'],
    ]);
    expect(entries[1]?.sizeBytes).toBe(19);
    expect(Date.now() - Date.parse(entries[1]!.modifiedAt)).toBeLessThan(60_000);
    expect((await box().exec({ command: 'made/run' })).stdout).toBe('ran\n');
  });

  it('replaces a file whole and leaves its mode as it was', async () => {
    await box().exec({ command: 'printf 0123456789 >old; chmod 750 old' });
    await box().write(text('old', 'new'));
    expect((await box().exec({ command: 'cat old; stat -c " %a" old; ls -A | grep agora-write' })).stdout).toBe(
      'new 750\n',
    );
  });

  it('carries bytes that are no text as base64, and empty files as text', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe, 0x0a]);
    await box().write({ path: 'binary', content: bytes });
    expect(await box().read('binary')).toMatchObject({
      content: bytes.toString('base64'),
      encoding: 'base64',
      sizeBytes: 4,
    });
    await box().write(text('empty', ''));
    expect(await box().read('empty')).toMatchObject({ content: '', encoding: 'utf8', sizeBytes: 0 });
  });

  it('carries megabytes in, and the beginning of them out', async () => {
    const content = Buffer.from('é'.repeat(2 * MIB));
    await box().write({ path: 'big', content });
    const read = await box().read('big');
    expect(read).toMatchObject({ encoding: 'utf8', truncated: true, sizeBytes: 4 * MIB });
    expect(Buffer.byteLength(read.content)).toBe(TEST_LIMITS.maxOutputBytes);
    await box().exec({ command: 'rm big' });
  });

  it('lists names that would break a text protocol', async () => {
    await box().exec({
      command:
        "mkdir odd; cd odd; touch -- 'a\nb' '\"q\"' \"$(printf 'bad\\377')\" ' ' '-rf'; mkfifo pipe; ln -s /etc link",
    });
    const entries = await box().list('odd');
    expect(entries.map(({ name }) => name)).toEqual([' ', '"q"', '-rf', 'a\nb', 'bad\ufffd', 'link', 'pipe']);
    expect(entries.find(({ name }) => name === 'link')?.type).toBe('symlink');
  });

  it('reaches /tmp as well', async () => {
    await box().write(text('/tmp/x/y', 'z'));
    expect((await box().read('/tmp/x/y')).content).toBe('z');
  });
}

function describeRefusals(box: () => Sandbox): void {
  it('names what is wrong with a path', async () => {
    await box().exec({ command: 'mkdir -p dir shut; touch plain; mkfifo fifo; ln -s loop loop; chmod 0 shut' });
    expect(await refusal(box().read('nothing'))).toBe('FILE_NOT_FOUND');
    expect(await refusal(box().list('nothing'))).toBe('FILE_NOT_FOUND');
    expect(await refusal(box().read('dir'))).toBe('NOT_A_FILE');
    expect(await refusal(box().read('fifo'))).toBe('NOT_A_FILE');
    expect(await refusal(box().write(text('fifo', 'x')))).toBe('NOT_A_FILE');
    expect(await refusal(box().write(text('dir', 'x')))).toBe('NOT_A_FILE');
    expect(await refusal(box().write(text('dir/', 'x')))).toBe('NOT_A_FILE');
    expect(await refusal(box().list('plain'))).toBe('NOT_A_DIRECTORY');
    expect(await refusal(box().write(text('plain/x', 'x')))).toBe('NOT_A_DIRECTORY');
    expect(await refusal(box().read('loop'))).toBe('REFUSED');
    expect(await refusal(box().list('shut'))).toBe('REFUSED');
    expect(await refusal(box().read('n'.repeat(300)))).toBe('REFUSED');
    expect(await refusal(box().read('a\0b'))).toBe('REFUSED');
    await box().exec({ command: 'chmod 700 shut' });
  });

  it('refuses a write that does not fit and keeps the old content', async () => {
    await box().write(text('kept', 'old'));
    const content = Buffer.alloc(TEST_LIMITS.diskBytes + 1);
    expect(await refusal(box().write({ path: 'kept', content }))).toBe('NO_SPACE');
    expect((await box().read('kept')).content).toBe('old');
    expect((await box().exec({ command: 'ls -A | grep -c agora-write' })).stdout).toBe('0\n');
  });
}

function describeArchives(driver: SandboxDriver, box: () => Sandbox): void {
  it('carries a workspace over whole: modes, times, links and odd names', async () => {
    const from = await driver.create('archive-from', TEST_LIMITS);
    const to = await driver.create('archive-to', TEST_LIMITS);
    await from.exec({
      command: `mkdir -p a/b empty; echo run >a/run; chmod 741 a/run; ln -s ../a/run a/b/link; ln -s /etc/passwd out
        touch -d @1000000000 a/run; echo odd >"$(printf 'n\\nl\\377')"; head -c 3000000 /dev/urandom >big; mkfifo pipe`,
    });
    const survey = {
      command: 'find . -mindepth 1 ! -type p -printf "%p %y %l\\n" | sort; stat -c "%a %Y" a/run; cat big | cksum',
    };
    await to.importWorkspace(await from.exportWorkspace(TEST_LIMITS.diskBytes));
    expect((await to.exec(survey)).stdout).toBe((await from.exec(survey)).stdout);
    expect((await to.exec(survey)).stdout).toContain('741 1000000000');
    await Promise.all([from.destroy(), to.destroy()]);
  });

  it('refuses an export past the bytes that were asked for', async () => {
    await box().exec({ command: 'mkdir -p bulk; head -c 1000000 /dev/zero >bulk/a' });
    expect(await refusal(box().exportWorkspace(100_000))).toBe('TOO_LARGE');
    await box().exec({ command: 'rm -r bulk' });
  });

  it('refuses a damaged archive', async () => {
    const archive = await box().exportWorkspace(TEST_LIMITS.diskBytes);
    const fresh = await driver.create('archive-damaged', TEST_LIMITS);
    expect(await refusal(fresh.importWorkspace(archive.subarray(0, archive.length - 30)))).not.toBe('none');
    expect(await refusal(fresh.importWorkspace(Buffer.from('no archive at all, but long enough to be read')))).toBe(
      'REFUSED',
    );
    expect((await fresh.exec({ command: 'echo alive' })).stdout).toBe('alive\n');
    await fresh.destroy();
  });
}

function describeDestruction(driver: SandboxDriver): void {
  it('ends everything at once, tells those who wait and refuses what comes after', async () => {
    const doomed = await driver.create('doomed', TEST_LIMITS);
    const waiting = refusal(doomed.exec({ command: 'sleep 60' }));
    await doomed.exec({ command: 'sleep 60 & sleep 60 &' });
    const started = performance.now();
    await Promise.all([doomed.destroy(), doomed.destroy()]);
    expect(performance.now() - started).toBeLessThan(1_000);
    await doomed.closed;
    expect(await waiting).toBe('SANDBOX_GONE');
    expect(await refusal(doomed.exec({ command: 'true' }))).toBe('SANDBOX_GONE');
    expect(await refusal(doomed.read('x'))).toBe('SANDBOX_GONE');
    await doomed.destroy();
  });

  it('starts every sandbox empty', async () => {
    const first = await driver.create('first', TEST_LIMITS);
    await first.exec({ command: 'touch left /tmp/left /dev/shm/left' });
    await first.destroy();
    const second = await driver.create('first', TEST_LIMITS);
    expect((await second.exec({ command: 'ls -A /workspace /tmp /dev/shm | grep left' })).stdout).toBe('');
    await second.destroy();
  });

  it('refuses limits that no sandbox could live with', async () => {
    await expect(driver.create('tiny', { ...TEST_LIMITS, memoryBytes: 1 })).rejects.toThrow('memoryBytes');
  });
}
