import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frame } from '../../../test/support/sandbox/frame.ts';
import { TEST_LIMITS } from '../../../test/support/sandbox/limits.ts';
import { BwrapDriver } from '../bwrap/bwrap.ts';
import type { Sandbox } from '../driver.ts';
import { AgentClient } from './client.ts';

const MIB = 1024 ** 2;

function connect() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  stdin.resume();
  const client = new AgentClient(stdin, stdout, () => {});
  const ask = (cap: number) => client.request({ operation: 'exec', strings: ['/', 'true'], timeoutMs: 60_000, cap });
  return { stdout, ask };
}

const end = (id: number) => frame(20, id, Buffer.from([0, 0, 0, 0, 0]));

describe('a frame in many parts', () => {
  it('is copied once: a megabyte in single bytes takes the time of a megabyte', async () => {
    const { stdout, ask } = connect();
    const answer = ask(MIB);
    const whole = frame(17, 1, Buffer.alloc(MIB - 5, 'x'));
    const cpuMs = (work: () => void) => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    // A quarter and the rest, in the same small parts: what copies all it has with each part takes much longer for the rest.
    const parts = (from: number, to: number) => {
      for (let at = from; at < to; at += 512) stdout.emit('data', whole.subarray(at, Math.min(to, at + 512)));
    };
    const quarter = cpuMs(() => parts(0, whole.length >> 2));
    const rest = cpuMs(() => parts(whole.length >> 2, whole.length));
    expect(rest).toBeLessThan(20 * quarter + 100);
    stdout.emit('data', end(1));
    expect((await answer).stdout).toHaveLength(MIB - 5);
  });
});

describe('the agent', () => {
  const driver = new BwrapDriver({ installationId: `test-frames-deep-${process.pid}` });
  let box: Sandbox;
  beforeAll(async () => {
    box = await driver.create('frames', { ...TEST_LIMITS, maxExecMs: 60_000 });
  });
  afterAll(async () => {
    await box.destroy();
    driver.forget();
  });

  it('sends what is written byte by byte in few frames, and nothing gets lost', async () => {
    let frames = 0;
    let taken = 0;
    const started = performance.now();
    const command = 'i=0; while [ $i -lt 20000 ]; do printf x; i=$((i+1)); done';
    await box.execStreamed({ command, timeoutMs: 60_000 }, async ({ bytes }) => {
      frames++;
      taken += bytes.length;
    });
    expect(taken).toBe(20_000);
    // At most one every 5 ms, as the agent counts them, however slow the machine, beside those with half a KiB or more.
    expect(frames).toBeLessThanOrEqual((performance.now() - started) / 4 + 2 + 20_000 / 512);
  });
});
