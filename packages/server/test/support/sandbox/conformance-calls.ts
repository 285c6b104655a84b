import { afterEach, describe, expect, it } from 'vitest';
import type { OutsideCall, Sandbox, SandboxDriver } from '../../../src/sandbox/driver.ts';
import { TEST_LIMITS, until } from './limits.ts';

/** Calls of the command `delivered`: how a program in one sandbox has another one run elsewhere. */
export function describeCalls(driver: SandboxDriver, box: () => Sandbox): void {
  describeBrokenCalls(driver);
  describe('calls from inside', () => {
    let stop = () => {};
    afterEach(() => stop());
    const answer = (with_: (call: OutsideCall) => Promise<number>, atOnce = 2) => {
      stop = box().answerCalls(atOnce, with_);
    };

    it('carry arguments, directory, chosen variables, streams and the exit code, and nothing else', async () => {
      const calls: OutsideCall[] = [];
      answer(async (call) => {
        calls.push(call);
        const stdin = await call.stdin();
        await call.write({ stream: 'stdout', bytes: Buffer.from(`out ${stdin}`) });
        await call.write({ stream: 'stderr', bytes: Buffer.from('err') });
        return 7;
      });
      const result = await box().exec({
        command: "mkdir -p a/b; cd a/b; printf in | delivered prog 'two words' '' \"it's\"",
        env: { LANG: 'C', SECRET: 'x' },
      });
      expect(result).toMatchObject({ exitCode: 7, stdout: 'out in', stderr: 'err' });
      const [{ argv, cwd, env }] = calls as [OutsideCall];
      expect({ argv, cwd, env }).toEqual({
        argv: ['prog', 'two words', '', "it's"],
        cwd: '/workspace/a/b',
        env: { LANG: 'C' },
      });
    });

    it('carry a megabyte both ways, whole, while neither side waits for the other', async () => {
      answer(async (call) => {
        for (let bytes = await call.stdin(); bytes.length > 0; bytes = await call.stdin()) {
          await call.write({ stream: 'stdout', bytes });
        }
        return 0;
      });
      const twice =
        'seq 1 200000 > in; delivered cat < in > out; test $(wc -c < in) -gt 1000000 && cksum < in && cksum < out';
      const { stdout, exitCode } = await box().exec({ command: twice });
      expect(exitCode).toBe(0);
      expect(new Set(stdout.trim().split('\n')).size).toBe(1);
    });

    it('wait their turn where there are more at once than are answered', async () => {
      let most = 0;
      let now = 0;
      const two = Promise.withResolvers<void>();
      answer(async () => {
        most = Math.max(most, ++now);
        if (now === 2) two.resolve();
        await two.promise;
        // A third would come now.
        await new Promise((resolve) => setTimeout(resolve, 20));
        now--;
        return 0;
      });
      const { stdout } = await box().exec({
        command: 'for i in 1 2 3 4 5 6; do (delivered x && echo done) & done; wait',
      });
      expect([stdout, most]).toEqual(['done\n'.repeat(6), 2]);
    });

    it('are told of it when their caller is gone, also while they write', async () => {
      let gone = 0;
      answer(async (call) => {
        call.signal.addEventListener('abort', () => gone++);
        while (!call.signal.aborted) await call.write({ stream: 'stdout', bytes: Buffer.alloc(65_536) });
        return 0;
      });
      expect((await box().exec({ command: 'delivered yes | head -c 100000 | wc -c' })).stdout.trim()).toBe('100000');
      await box().exec({ command: 'delivered yes >/dev/null', timeoutMs: 200 });
      await until(async () => gone === 2);
    });
  });
}

function describeBrokenCalls(driver: SandboxDriver): void {
  describe('calls from inside that break', () => {
    it('go nowhere when nobody answers, and are refused when they are malformed', async () => {
      const apart = await driver.create('calls', TEST_LIMITS);
      const refused = await apart.exec({ command: 'delivered true' });
      expect(refused).toMatchObject({ exitCode: 125, stdout: '' });
      expect(refused.stderr).toContain('nowhere else');
      let calls = 0;
      const end = apart.answerCalls(2, async () => {
        calls++;
        return 0;
      });
      const send = (bytes: string) =>
        `perl -e 'socket(S, 1, 1, 0); connect(S, pack("S a*", 1, "\\0agora/delivered")) or die $!; syswrite S, ${bytes}; print sysread(S, $x, 10)'`;
      for (const bytes of [
        '"\\xff\\xff\\xff\\xff"',
        'pack("V", 4) . "abcd"',
        'pack("V", 6) . "/\\0" . "9\\0x\\0"',
        'pack("V", 0)',
      ]) {
        expect((await apart.exec({ command: send(bytes) })).stdout).toBe('0');
      }
      expect(calls).toBe(0);
      expect(await apart.exec({ command: 'delivered true' })).toMatchObject({ exitCode: 0 });
      expect(calls).toBe(1);
      end();
      await apart.destroy();
    });

    it('break off when they are not answered any more, and when the sandbox ends', async () => {
      const apart = await driver.create('calls', TEST_LIMITS);
      const aborted: string[] = [];
      const hold = (name: string) => (call: OutsideCall) =>
        new Promise<number>((resolve) => {
          call.signal.addEventListener('abort', () => {
            aborted.push(name);
            resolve(0);
          });
          if (name === 'stopped') end();
          else void apart.destroy();
        });
      const end = apart.answerCalls(2, hold('stopped'));
      const result = await apart.exec({ command: 'delivered x' });
      expect(result).toMatchObject({ exitCode: 125, stderr: expect.stringContaining('broke off') });
      apart.answerCalls(2, hold('destroyed'));
      await expect(apart.exec({ command: 'delivered x' })).rejects.toMatchObject({ code: 'SANDBOX_GONE' });
      await until(async () => aborted.length === 2);
    });
  });
}
