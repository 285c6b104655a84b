import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frame } from '../../../test/support/sandbox/frame.ts';
import { refusal, TEST_LIMITS } from '../../../test/support/sandbox/limits.ts';
import { BwrapDriver } from '../bwrap/bwrap.ts';
import type { OutputChunk, Sandbox } from '../driver.ts';
import { AgentClient, END_FLAGS, FRAME_COST } from './client.ts';
import { HandOn } from './forward-output.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { OutputBudget } from './output-budget.ts';

/** What commands that write in small pieces, many at once, or as much as they may, cost the server. */

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const MIB = 1024 ** 2;

function heldBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function connect(budget = new OutputBudget()) {
  const broken: string[] = [];
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  stdin.resume();
  const client = new AgentClient(stdin, stdout, (why) => broken.push(why), budget);
  const ask = (cap: number) => client.request({ operation: 'exec', strings: ['/', 'true'], timeoutMs: 60_000, cap });
  return { client, stdout, broken, ask };
}

const end = (id: number) => frame(20, id, Buffer.from([0, 0, 0, 0, 0]));
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('output in single bytes', () => {
  it('weighs in the server what it weighs in one piece', async () => {
    const { stdout, ask } = connect();
    const single = Buffer.concat(Array.from({ length: 4096 }, () => frame(17, 1, Buffer.from('x'))));
    const answer = ask(2 * MIB);
    const before = heldBytes();
    for (let sent = 0; sent < 2 * MIB; sent += 4096) {
      stdout.write(single);
      await turn();
    }
    expect(heldBytes() - before).toBeLessThan(8 * MIB);
    stdout.write(end(1));
    expect((await answer).stdout.equals(Buffer.alloc(2 * MIB, 'x'))).toBe(true);
  });

  it('waits for a slow reader in few pieces, in order, and counts its frames in the window', async () => {
    const chunks: OutputChunk[] = [];
    let readOn = () => {};
    const slow = new Promise<void>((resolve) => {
      readOn = resolve;
    });
    const granted: number[] = [];
    const handOn = new HandOn(async (chunk) => {
      chunks.push(chunk);
      await slow;
    });
    handOn.begin({ grant: (bytes) => granted.push(bytes), kill: () => {} });
    const written = Array.from({ length: 1000 }, (_, n) => String.fromCharCode(97 + (n % 26)));
    for (const byte of written) handOn.take('stdout', Buffer.from(byte));
    handOn.take('stderr', Buffer.from('!'));
    handOn.take('stdout', Buffer.from('?'));
    readOn();
    await handOn.done();
    expect(chunks.map(({ stream, bytes }) => [stream, bytes.length])).toEqual([
      ['stdout', 1],
      ['stdout', 999],
      ['stderr', 1],
      ['stdout', 1],
    ]);
    expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe(`${written.join('')}!?`);
    expect(granted.reduce((sum, bytes) => sum + bytes)).toBe(1002 * (1 + FRAME_COST));
  });

  it('is gathered byte for byte, whatever the pieces', async () => {
    const gathered = new GatheredBytes();
    const whole = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7919) % 251));
    for (let at = 0, size = 1; at < whole.length; at += size, size = 1 + ((size * 31) % 4099)) {
      gathered.append(whole.subarray(at, at + size));
    }
    expect((await gathered.bytes()).equals(whole)).toBe(true);
  });
});

describe('the output that a process holds for all', () => {
  it('has a bound: past it a command keeps its first 16 KiB and is cut, until others have ended', async () => {
    const { stdout, ask, broken } = connect(new OutputBudget(100_000));
    const text = (id: number, bytes: number) => frame(17, id, Buffer.alloc(bytes, 'x'));
    const [first, second] = [ask(MIB), ask(MIB)];
    stdout.write(Buffer.concat([text(1, 116_384), text(2, 50_000), end(2)]));
    expect(await second).toMatchObject({ flags: END_FLAGS.stdoutCut | END_FLAGS.starved });
    expect((await second).stdout).toHaveLength(16_384);
    stdout.write(end(1));
    expect((await first).stdout).toHaveLength(116_384);
    const third = ask(MIB);
    stdout.write(Buffer.concat([text(3, 50_000), end(3)]));
    expect(await third).toMatchObject({ flags: 0 });
    expect((await third).stdout).toHaveLength(50_000);
    expect(broken).toEqual([]);
  });

  it('is given back where the sandbox goes', async () => {
    const budget = new OutputBudget(100_000);
    const { client, stdout, ask } = connect(budget);
    const answer = refusal(ask(MIB));
    stdout.write(frame(17, 1, Buffer.alloc(116_384)));
    await turn();
    expect(budget.take(16_384, 1)).toBe(0);
    stdout.write(frame(99, 1, Buffer.alloc(1)));
    expect(await answer).toBe('SANDBOX_GONE');
    client.close({} as never);
    expect(budget.take(16_384, 200_000)).toBe(100_000);
  });
});

describe('the agent', () => {
  const driver = new BwrapDriver({ installationId: `test-frames-${process.pid}` });
  let box: Sandbox;
  beforeAll(async () => {
    box = await driver.create('frames', { ...TEST_LIMITS, maxExecMs: 60_000 });
  });
  afterAll(async () => {
    await box.destroy();
    driver.forget();
  });

  it('lets no more commands wait at once than a sandbox may have', async () => {
    const running = Array.from({ length: 24 }, () => box.exec({ command: 'true' }));
    expect(await refusal(box.exec({ command: 'true' }))).toBe('TOO_MANY');
    expect(await refusal(box.execStreamed({ command: 'true' }, async () => {}))).toBe('TOO_MANY');
    await Promise.all(running);
    expect((await box.exec({ command: 'echo free' })).stdout).toBe('free\n');
  });
});
