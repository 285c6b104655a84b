import { recommendations, trustTiers } from '@agora-market/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Known, recommend, recommendationTable } from './recommendation.ts';

const best: Known = {
  trustTier: 'elite',
  confidence: 100,
  isActive: true,
  completedTasks: 1000,
  disputesLost: 0,
};

test.each([
  [best, 'highest_trust'],
  [{ ...best, confidence: 79 }, 'suitable_for_high_value_tasks'],
  [{ ...best, disputesLost: 11 }, 'suitable_for_high_value_tasks'],
  [{ ...best, disputesLost: 31 }, 'suitable_for_medium_value_tasks'],
  [{ ...best, trustTier: 'established' }, 'suitable_for_medium_value_tasks'],
  [{ ...best, confidence: 39 }, 'suitable_for_low_value_tasks'],
  [{ ...best, isActive: false }, 'suitable_for_low_value_tasks'],
  [{ ...best, trustTier: 'unverified' }, 'not_yet_rated'],
  [{ ...best, confidence: 9 }, 'not_yet_rated'],
] as [Known, string][])('%j is %s', (known, expected) => {
  expect(recommend(known)).toBe(expected);
});

const rank = (known: Known) => recommendations.indexOf(recommend(known));

test('is never worse for who is better in any one respect', () => {
  const anyone = fc.record({
    trustTier: fc.constantFrom(...trustTiers),
    confidence: fc.nat(100),
    isActive: fc.boolean(),
    completedTasks: fc.nat(500),
    disputesLost: fc.nat(50),
  });
  fc.assert(
    fc.property(anyone, (known) => {
      const better: Known[] = [
        { ...known, trustTier: trustTiers[Math.min(4, trustTiers.indexOf(known.trustTier) + 1)] ?? 'elite' },
        { ...known, confidence: known.confidence + 1 },
        { ...known, isActive: true },
        { ...known, completedTasks: known.completedTasks + 1 },
        { ...known, disputesLost: Math.max(0, known.disputesLost - 1) },
      ];
      for (const each of better) expect(rank(each)).toBeGreaterThanOrEqual(rank(known));
    }),
  );
});

test('the table has every recommendation but the lowest, best first', () => {
  expect(recommendationTable.map((row) => row.recommendation).toReversed()).toEqual(recommendations.slice(1));
});
