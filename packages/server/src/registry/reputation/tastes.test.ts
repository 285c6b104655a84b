import { expect, test } from 'vitest';
import { chance } from '../../../test/simulation/chance.ts';
import { observe } from './evidence.ts';
import { credibleFrom, noTastes, ownWork, withPair } from './tastes.ts';
import type { Heard } from './voice.ts';
import { weights } from './weights.ts';

/** A number around 0 with a variance of 1: the sum of twelve uniform ones. */
function normals(seed: number): () => number {
  const { below } = chance(seed);
  return () => Array.from({ length: 12 }, () => below(1e6) / 1e6).reduce((sum, value) => sum + value, -6);
}

/** What is learned from 200 buyers with eight tasks each, whose tastes have such a deviation. */
function learned(tastes: number) {
  const [normal, work] = [normals(7), 0.12];
  let found = noTastes();
  for (let buyer = 0; buyer < 200; buyer++) {
    const [own, earlier] = [0.7 + tastes * normal(), { mass: 0, good: 0 }];
    for (let nth = 0; nth < 8; nth++) {
      const worth = own + work * normal();
      if (nth > 0) found = withPair(found, 1, worth, earlier, 0.7);
      observe(earlier, 1, worth);
    }
  }
  return found;
}

test('how much a buyer’s own tasks say is learned from how much tastes differ', () => {
  // The variance of the work divided by that of the tastes.
  expect(credibleFrom(learned(0.1))).toBeCloseTo(0.12 ** 2 / 0.1 ** 2, 0);
  expect(credibleFrom(learned(0.05))).toBeCloseTo(0.12 ** 2 / 0.05 ** 2, -1);
  expect(credibleFrom(learned(0))).toBeGreaterThan(40);
});

test('before the first pair buyers are alike, and own tasks never say all', () => {
  expect(credibleFrom(noTastes())).toBe(Number.POSITIVE_INFINITY);
  const alike = { pairs: 1e6, together: 1e6, apart: 1e6 };
  expect(credibleFrom(alike)).toBe(weights.tastes.leastTasks);
});

const heard: Heard = {
  ...{ task: 't', at: 0, category: 'bug_fix', price: 100, outcome: 0.8, feedback: null, prompt: null, economic: null },
  ...{ reliability: 1, refused: 0, isMeasured: true, isDirect: false, isUndelivered: false },
};

test('a buyer’s own tasks are its deliveries in the category, the newest in full', () => {
  const voice = {
    weight: 1,
    hasPaid: true,
    heard: [
      heard,
      { ...heard, category: 'design' as const },
      { ...heard, outcome: null },
      { ...heard, outcome: 0, isUndelivered: true },
      { ...heard, outcome: 0 },
    ],
  };
  expect(ownWork(voice, 'bug_fix')).toEqual({ mass: 1 + weights.repeat, good: 0.8 });
  expect(ownWork(null, 'bug_fix')).toEqual({ mass: 0, good: 0 });
});
