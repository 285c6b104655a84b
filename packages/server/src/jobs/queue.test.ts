import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { databaseForFile } from '../../test/support/database.ts';
import { createLog, type Logger, manualClock, transaction } from '../platform/index.ts';
import { enqueue, handler, isQueued, type JobKind, queueStates, withdraw } from './index.ts';
import { pauseAfter } from './job-kind.ts';
import { createQueue } from './queue.ts';

interface Payload {
  note: string;
}
type Run = (payload: Payload, signal: AbortSignal) => Promise<unknown>;

const { pool } = await databaseForFile();
let clock: ReturnType<typeof manualClock>;
let kind: JobKind<Payload>;
/** What is started here ends with the test. */
let ends: (() => void)[];
beforeEach(() => {
  clock = manualClock(new Date('2026-11-21T12:00:00.000Z'));
  ends = [];
  kind = {
    name: `test.${randomUUID()}`,
    payload: z.object({ note: z.string() }),
    attempts: 3,
    atOnce: 2,
    timeoutMs: 30_000,
    pauseMs: { first: 10_000, longest: 15_000 },
  };
});
afterEach(() => {
  for (const end of ends) end();
});

const silent = createLog('silent');
const ask = (key: string, of = kind) => enqueue(pool, clock, of, { key, payload: { note: key }, at: clock.now() });
const state = async () => (await queueStates(pool, clock.now())).find((each) => each.kind === kind.name);

/** A server that runs jobs of the kind. */
function server(run: Run, { log = silent, random = 0.5 }: { log?: Logger; random?: number } = {}) {
  const stopping = new AbortController();
  const deps = { pool, clock, log, stopping: stopping.signal, random: () => random };
  const queue = createQueue(deps, [handler(kind, run)]);
  return { look: async () => queue.jobs[0]?.run(), idle: () => queue.idle(), stop: () => stopping.abort() };
}

/** A run that begins and ends when the test says so; a server that crashes is one that never does. */
function held() {
  let letGo = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  ends.push(letGo);
  const ran: string[] = [];
  const run: Run = async ({ note }) => {
    ran.push(note);
    await until;
  };
  return { ran, run, letGo };
}

/** Runs that are over at once. */
function noted() {
  const ran: string[] = [];
  return { ran, run: async ({ note }: Payload) => void ran.push(note) };
}

describe('asking', () => {
  test('twice under one key is one job, also while it runs; another key is another', async () => {
    const { ran, run, letGo } = held();
    const one = server(run);
    await Promise.all([ask('a'), ask('a'), ask('a')]);
    void one.look();
    await expect.poll(() => ran).toEqual(['a']);
    await ask('a');
    await ask('b');
    letGo();
    await one.idle();
    await one.look();
    expect(ran).toEqual(['a', 'b']);
    expect(await state()).toBeUndefined();
  });

  test('is undone with its transaction', async () => {
    const { ran, run } = noted();
    const change = transaction(pool, 'write', async (tx) => {
      await enqueue(tx, clock, kind, { key: 'undone', payload: { note: 'undone' }, at: clock.now() });
      throw new Error('of the test');
    });
    await expect(change).rejects.toThrow('of the test');
    await server(run).look();
    expect([ran, await isQueued(pool, kind, 'undone')]).toEqual([[], false]);
  });

  test('for later is not done before, and not at all once it is withdrawn', async () => {
    const { ran, run } = noted();
    const one = server(run);
    const at = new Date(clock.now().getTime() + 1_000);
    for (const key of ['later', 'withdrawn']) await enqueue(pool, clock, kind, { key, payload: { note: key }, at });
    clock.advance(999);
    await one.look();
    expect(ran).toEqual([]);
    await withdraw(pool, kind, 'withdrawn');
    clock.advance(1);
    await one.look();
    expect(ran).toEqual(['later']);
  });
});

describe('a server that crashes between lease and end', () => {
  test('loses its job to another one when the lease ends, and can say nothing about it any more', async () => {
    const first = held();
    const crashed = server(first.run);
    await ask('a');
    void crashed.look();
    await expect.poll(() => first.ran).toEqual(['a']);
    const second = held();
    const other = server(second.run);
    clock.advance(kind.timeoutMs + 60_000 - 1);
    await other.look();
    expect(second.ran).toEqual([]);
    clock.advance(1);
    void other.look();
    await expect.poll(() => second.ran).toEqual(['a']);
    first.letGo();
    await crashed.idle();
    expect(await state()).toMatchObject({ open: 1 });
    second.letGo();
    await other.idle();
    expect(await state()).toBeUndefined();
  });

  test('does so with one job only so often', async () => {
    const { ran, run } = held();
    await ask('fatal');
    for (let crash = 1; crash <= kind.attempts; crash++) {
      void server(run).look();
      await expect.poll(() => ran.length).toBe(crash);
      clock.advance(kind.timeoutMs + 60_000);
    }
    await server(run).look();
    expect(ran).toHaveLength(kind.attempts);
    expect(await state()).toMatchObject({ open: 0, givenUp: 1 });
  });
});

describe('a job that fails', () => {
  test('is tried again after pauses that double up to the longest, by the clock that is handed in', async () => {
    kind = { ...kind, attempts: 4 };
    const times: number[] = [];
    const startedMs = clock.now().getTime();
    const failing = server(async () => {
      times.push(clock.now().getTime() - startedMs);
      throw new Error('of the test');
    });
    await ask('a');
    for (let second = 0; second <= 60; second++) {
      await failing.look();
      clock.advance(1_000);
    }
    // 10 s, then 20 s that are cut to 15 s.
    expect(times).toEqual([0, 10_000, 25_000, 40_000]);
  });

  test('is tried again after a pause of its own, a quarter shorter or longer at most', () => {
    const pauses = [0, 0.25, 0.999].map((random) => Math.round(pauseAfter(kind, 1, random)));
    expect(pauses).toEqual([7_500, 8_750, 12_495]);
  });

  test('for good is given up, told of, and begun anew when it is asked for again', async () => {
    const told: unknown[] = [];
    const log = { ...silent, warn: () => {}, error: (...said: unknown[]) => void told.push(said) } as unknown as Logger;
    let mended = false;
    let runs = 0;
    const poison = async () => {
      runs += 1;
      if (!mended) throw new Error(`poi\0son ${'x'.repeat(5_000)}`);
    };
    const one = server(poison, { log });
    await ask('a');
    for (let minute = 0; minute < 10; minute++) {
      await one.look();
      clock.advance(60_000);
    }
    expect(runs).toBe(kind.attempts);
    expect(told).toEqual([[{ err: expect.any(Error), job: kind.name, key: 'a', runs: 3 }, expect.any(String)]]);
    expect(await state()).toMatchObject({ open: 0, givenUp: 1, lateMs: 0 });
    const { rows } = await pool.query('select left(error, 13) as error from queued_jobs where kind = $1', [kind.name]);
    expect(rows).toEqual([{ error: 'Error: poison' }]);
    mended = true;
    await ask('a');
    await one.look();
    expect(runs).toBe(kind.attempts + 1);
    expect(await state()).toBeUndefined();
  });

  test('because its payload is not of the kind never reaches what runs it', async () => {
    const { ran, run } = noted();
    await enqueue(pool, clock, { ...kind, payload: z.any() }, { key: 'a', payload: { text: 1 }, at: clock.now() });
    await server(run).look();
    expect(ran).toEqual([]);
    expect(await state()).toMatchObject({ open: 1 });
  });

  test('keeps no other from being done', async () => {
    const ran: string[] = [];
    const one = server(async ({ note }) => {
      if (note === 'bad') throw new Error('of the test');
      ran.push(note);
    });
    for (const key of ['bad', 'a', 'b']) await ask(key);
    await one.look();
    expect(ran.sort()).toEqual(['a', 'b']);
  });
});

describe('at once', () => {
  test('three servers do a hundred jobs, each once, never more than so many each', async () => {
    const running = new Set<string>();
    const ran: string[] = [];
    const broken: string[] = [];
    const make = () => {
      let here = 0;
      return server(async ({ note }) => {
        if (running.has(note) || ++here > kind.atOnce) broken.push(note);
        running.add(note);
        for (let some = 0; some < 5; some++) await turn();
        running.delete(note);
        here -= 1;
        ran.push(note);
      });
    };
    const servers = [make(), make(), make()];
    const keys = Array.from({ length: 100 }, (_, nth) => `job ${nth}`);
    await Promise.all(keys.map((key) => ask(key)));
    await Promise.all(servers.map(({ look, idle }) => look().then(idle)));
    expect(broken).toEqual([]);
    expect(ran.sort()).toEqual(keys.sort());
  });

  test('a job that hangs leaves the other places of its kind free', async () => {
    const { run: hang } = held();
    const ran: string[] = [];
    const one = server(async (payload, signal) => {
      if (payload.note === 'hangs') return hang(payload, signal);
      ran.push(payload.note);
    });
    await ask('hangs');
    void one.look();
    await expect.poll(() => isQueued(pool, kind, 'hangs')).toBe(true);
    for (const key of ['a', 'b']) await ask(key);
    void one.look();
    await expect.poll(() => ran).toEqual(['a', 'b']);
  });
});

test('a stop ends the signal of what runs, begins nothing, and leaves the rest to be done', async () => {
  const one = server(
    (_, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );
  for (const key of ['a', 'b', 'c']) await ask(key);
  void one.look();
  const leased = async () =>
    (await pool.query('select 1 from queued_jobs where kind = $1 and attempts > 0', [kind.name])).rowCount;
  await expect.poll(leased).toBe(kind.atOnce);
  one.stop();
  await one.idle();
  expect(await leased()).toBe(kind.atOnce);
  const { ran, run } = noted();
  clock.advance(10_000);
  await server(run).look();
  expect(ran.sort()).toEqual(['a', 'b', 'c']);
});

test('how far the queue is behind is known', async () => {
  await ask('a');
  clock.advance(4_000);
  await ask('b');
  clock.advance(1_000);
  expect(await state()).toEqual({ kind: kind.name, open: 2, givenUp: 0, lateMs: 5_000 });
});
