import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limitWork, threadName, workedMs } from './work-limit.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work that gets so many milliseconds of CPU in each second, and whether it has run out of its three seconds. */
function workAt(msInSecond: number | undefined) {
  let usedMs = msInSecond === undefined ? undefined : 500;
  const work = { hasRunOut: false, callOff: () => {} };
  work.callOff = limitWork(
    () => usedMs,
    3_000,
    () => {
      work.hasRunOut = true;
    },
  );
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      if (usedMs !== undefined) usedMs += msInSecond ?? 0;
      vi.advanceTimersByTime(1_000);
    }
    return work.hasRunOut;
  };
  return { pass, callOff: work.callOff };
}

test('work that has a core to itself is ended at its limit', () => {
  const { pass } = workAt(1_000);
  expect(pass(2)).toBe(false);
  expect(pass(2)).toBe(true);
});

test('work that shares the machine has as much of it', () => {
  const { pass } = workAt(250);
  expect(pass(11)).toBe(false);
  expect(pass(2)).toBe(true);
});

test('work that is kept from working ends all the same, ten times as late', () => {
  const { pass } = workAt(0);
  expect(pass(29)).toBe(false);
  expect(pass(2)).toBe(true);
});

test('work that nothing measures is ended by the clock', () => {
  const { pass } = workAt(undefined);
  expect(pass(2)).toBe(false);
  expect(pass(2)).toBe(true);
});

test('work that is done is not ended', () => {
  const { pass, callOff } = workAt(1_000);
  pass(2);
  callOff();
  expect(pass(60)).toBe(false);
});

test('the system tells what a thread has worked, and nothing of one that is not there', () => {
  const thread = threadName();
  const before = workedMs(thread) ?? Number.NaN;
  while ((workedMs(thread) ?? 0) < before + 20);
  expect(workedMs(thread)).toBeGreaterThanOrEqual(before + 20);
  expect(workedMs('1/task/999999999')).toBeUndefined();
  expect(workedMs(null)).toBeUndefined();
});
