import { expect, test } from 'vitest';
import { manualClock } from '../clock.ts';
import { createCache } from './cache.ts';

const made = () => {
  const clock = manualClock('2026-11-21T12:00:00.000Z');
  return { clock, cache: createCache<string>(clock, { maxBytes: 100, maxAgeMs: 1000 }) };
};

test('what was kept is recalled until it is forgotten or replaced', () => {
  const { cache } = made();
  cache.set('a', 'first', 10);
  cache.set('a', 'second', 10);
  expect(cache.get('a')).toBe('second');
  cache.delete('a');
  expect(cache.get('a')).toBeUndefined();
});

test('no more bytes are kept than fit, and what was kept first goes first', () => {
  const { cache } = made();
  for (const key of ['a', 'b', 'c']) cache.set(key, key, 40);
  expect(['a', 'b', 'c'].map(cache.get)).toEqual([undefined, 'b', 'c']);
  cache.set('b', 'again', 60);
  expect(['b', 'c'].map(cache.get)).toEqual(['again', 'c']);
  cache.set('large', 'large', 101);
  expect(['b', 'c', 'large'].map(cache.get)).toEqual(['again', 'c', undefined]);
});

test('nothing outlives its age', () => {
  const { clock, cache } = made();
  cache.set('a', 'a', 10);
  clock.advance(500);
  cache.set('b', 'b', 10);
  clock.advance(500);
  cache.trim();
  expect(['a', 'b'].map(cache.get)).toEqual([undefined, 'b']);
});
