import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { manualClock } from '../../platform/index.ts';
import { SandboxError } from '../../sandbox/index.ts';
import { createExportLanes } from './lanes.ts';

const patienceMs = 200;
const never = () => new Promise<never>(() => {});
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => (error instanceof SandboxError ? error.code : String(error)),
  );

function scene(places = 2) {
  const clock = manualClock('2026-11-21T12:00:00.000Z');
  const lanes = createExportLanes(clock, places, patienceMs);
  const ended: string[] = [];
  const ask = (owner: string, name: string, work: () => Promise<unknown>) =>
    codeOf(lanes(owner, work, async () => undefined)).then((code) => {
      ended.push(name);
      return code;
    });
  return { clock, ask, ended, outlast: outlasting(clock) };
}

/** Lets one patience after the other pass until the work is done. */
const outlasting = (clock: ReturnType<typeof manualClock>) =>
  async function outlast<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    void work.finally(() => {
      isDone = true;
    });
    for (await turn(); !isDone; await turn()) clock.advance(patienceMs);
    return work;
  };

test('one owner that stalls again and again holds one place, and once only; others pass', async () => {
  const { ask, ended, outlast } = scene();
  const stalls = Array.from({ length: 5 }, (_, nth) => ask('staller', `stall ${nth}`, never));
  const others = Array.from({ length: 20 }, (_, nth) => ask(`owner ${nth % 3}`, 'honest', async () => nth));
  expect(new Set(await Promise.all(others))).toEqual(new Set(['done']));
  expect(ended.filter((name) => name !== 'honest')).toEqual([]);
  expect(new Set(await outlast(Promise.all(stalls)))).toEqual(new Set(['TIMED_OUT']));
});

test('as many stallers as there are places hold them for one patience; from then on they wait for each other', async () => {
  const { ask, ended, outlast } = scene();
  const stalls = ['a', 'b'].flatMap((owner) => [1, 2, 3].map(() => ask(owner, `stall of ${owner}`, never)));
  const honest = ['c', 'd', 'e', 'f'].map((owner) => ask(owner, 'honest', async () => owner));
  await outlast(Promise.all(honest));
  // The first of each, and none of the four that queue behind them.
  const before = ended.filter((name) => name !== 'honest');
  expect(new Set(before).size).toBe(before.length);
  expect(new Set(await outlast(Promise.all(stalls)))).toEqual(new Set(['TIMED_OUT']));
});

test('who has stalled can still be done, and ten minutes later among the others again', async () => {
  const { clock, ask, ended, outlast } = scene(1);
  expect(await outlast(ask('slow', 'stall', never))).toBe('TIMED_OUT');
  expect(await ask('slow', 'next', async () => 'fine')).toBe('done');
  let letGo = () => {};
  const holding = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const held = ask('other', 'held', () => holding);
  const inSlowLane = ask('slow', 'in the slow lane', never);
  letGo();
  expect(await held).toBe('done');
  expect(await outlast(inSlowLane)).toBe('TIMED_OUT');
  clock.advance(600_001);
  const again = ask('slow', 'again', never);
  const behind = ask('other', 'behind', async () => 'fine');
  await outlast(Promise.all([again, behind]));
  expect(ended.slice(-2)).toEqual(['again', 'behind']);
});

test('what comes too late is used by nobody', async () => {
  const clock = manualClock('2026-11-21T12:00:00.000Z');
  const lanes = createExportLanes(clock, 1, patienceMs);
  let give = (_: string) => {};
  const late = new Promise<string>((resolve) => {
    give = resolve;
  });
  const used: string[] = [];
  const use = async (taken: string) => void used.push(taken);
  expect(await outlasting(clock)(codeOf(lanes('a', () => late, use)))).toBe('TIMED_OUT');
  give('late');
  await lanes('b', async () => 'in time', use);
  expect(used).toEqual(['in time']);
});

test('other failures are nobody’s stall', async () => {
  const { ask, ended, outlast } = scene();
  const fail = async () => {
    throw new SandboxError('SANDBOX_GONE', 'of the test');
  };
  expect(await ask('a', 'failed', fail)).toBe('SANDBOX_GONE');
  const [stall, next] = [ask('b', 'stall', never), ask('a', 'next', async () => 'fine')];
  expect(await next).toBe('done');
  expect(ended).toEqual(['failed', 'next']);
  await outlast(stall);
});
