import { expect, test } from 'vitest';
import { simulateSeeds } from './seeds.ts';

test('10 seeds of the money simulation pass: credits are neither made nor lost', async () => {
  const { counts } = await simulateSeeds({ seeds: 10, steps: 1_000 });
  expect(counts.size).toBeGreaterThan(0);
});
