import { expect, test } from 'vitest';
import { manualClock } from './clock.ts';
import { createMemo } from './memo.ts';

const made = () => {
  const clock = manualClock('2026-11-21T12:00:00.000Z');
  return { clock, memo: createMemo<string>(clock, { maxBytes: 100, maxAgeMs: 1000 }) };
};

test('what was kept is recalled until it is forgotten or replaced', () => {
  const { memo } = made();
  memo.keep('a', 'first', 10);
  memo.keep('a', 'second', 10);
  expect(memo.recall('a')).toBe('second');
  memo.forget('a');
  expect(memo.recall('a')).toBeUndefined();
});

test('no more bytes are kept than fit, and what was kept first goes first', () => {
  const { memo } = made();
  for (const key of ['a', 'b', 'c']) memo.keep(key, key, 40);
  expect(['a', 'b', 'c'].map(memo.recall)).toEqual([undefined, 'b', 'c']);
  memo.keep('b', 'again', 60);
  expect(['b', 'c'].map(memo.recall)).toEqual(['again', 'c']);
  memo.keep('large', 'large', 101);
  expect(['b', 'c', 'large'].map(memo.recall)).toEqual(['again', 'c', undefined]);
});

test('nothing outlives its age', () => {
  const { clock, memo } = made();
  memo.keep('a', 'a', 10);
  clock.advance(500);
  memo.keep('b', 'b', 10);
  clock.advance(500);
  memo.trim();
  expect(['a', 'b'].map(memo.recall)).toEqual([undefined, 'b']);
});
