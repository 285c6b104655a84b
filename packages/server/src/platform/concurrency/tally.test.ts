import { expect, test } from 'vitest';
import { createTally } from './tally.ts';

test('counts each key by itself, up and down to none', () => {
  const tally = createTally();
  const ends = [tally.add('a'), tally.add('a'), tally.add('b')];
  expect([tally.of('a'), tally.of('b'), tally.of('c')]).toEqual([2, 1, 0]);
  for (const end of ends) end();
  expect([tally.of('a'), tally.of('b')]).toEqual([0, 0]);
});
