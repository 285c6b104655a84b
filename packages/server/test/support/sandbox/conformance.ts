import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxDriver } from '../../../src/sandbox/driver.ts';
import { describeCalls } from './conformance-calls.ts';
import { describeBackground, describePauses, describeSnapshots, describeStreams } from './conformance-commands.ts';
import { describeArchives, describeFiles, describeRefusals } from './conformance-files.ts';
import { describeInputs } from './conformance-inputs.ts';
import { describeLayers } from './conformance-layers.ts';
import { refusal, TEST_LIMITS } from './limits.ts';

/** What every driver keeps to, whatever it is built on. A driver's own test file calls `describeDriver`. */

const MIB = 1024 * 1024;

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
    describeEndings(driver, () => box);
    describeStreams(() => box);
    describeCalls(driver, () => box);
    describeBackground(driver, () => box);
    describePauses(driver);
    describeSnapshots(driver);
    describeFiles(() => box);
    describeRefusals(() => box);
    describeArchives(driver, () => box);
    describeInputs(driver);
    describeLayers(driver);
    describeDestruction(driver);
  });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

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
    const { stdout } = await box().exec({
      command: 'env | cut -d= -f1 | sort | tr "\\n" " "; id -un; hostname; ls /; ls /opt 2>/dev/null | sed s,^,/opt/,',
    });
    expect(stdout).toContain('HOME LANG PATH PWD TERM USER agent\nsandbox\n');
    expect(stdout).not.toMatch(/^(root|home|work|srv|mnt|boot)$/m);
    // The server's Node, where it is not the system's.
    expect(stdout.match(/^\/opt\/.*$/gm) ?? []).toBeOneOf([[], ['/opt/node']]);
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

  it('gives the workspace to the agent, to do with as with its own', async () => {
    const command = 'chmod -R u+rwX . && chmod 700 . && test -O . && touch -d @0 . && stat -c "%U %a" . && chmod 755 .';
    expect(await box().exec({ command })).toMatchObject({ stdout: 'agent 700\n', exitCode: 0 });
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

function describeEndings(driver: SandboxDriver, box: () => Sandbox): void {
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
    const short = await driver.create('short', { ...TEST_LIMITS, maxExecMs: 400 });
    const result = await short.exec({ command: 'sleep 30', timeoutMs: 1e12 });
    expect(result.timedOut).toBe(true);
    expect(result.durationMs).toBeLessThan(2_000);
    await short.destroy();
  });

  it('replies when the command ends, while what it left in the background goes on', async () => {
    const result = await box().exec({ command: '(sleep 1; echo late; echo done >bg) & echo $!; echo main' });
    expect(result.stdout).toMatch(/^\d+\nmain\n$/);
    expect(result.durationMs).toBeLessThan(900);
    await pause(1_500);
    // The late line went nowhere, and did not kill its writer.
    expect((await box().exec({ command: 'cat bg' })).stdout).toBe('done\n');
  });

  it('keeps all output of a command that writes and ends at once', async () => {
    const result = await box().exec({ command: 'head -c 60000 /dev/zero | tr "\\0" a' });
    expect(result.stdout.length).toBe(60_000);
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
