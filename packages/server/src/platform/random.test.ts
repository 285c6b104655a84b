import { expect, test } from 'vitest';
import { systemRandom } from './random.ts';

test('numbers come from 0 up to 1, evenly, and do not repeat from one filling to the next', () => {
  const drawn = Array.from({ length: 20_000 }, systemRandom);
  expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
  // The mean of so many even numbers deviates by 0.002; ten times that is never seen.
  expect(drawn.reduce((sum, number) => sum + number) / drawn.length).toBeCloseTo(0.5, 1);
  expect(new Set(drawn).size).toBeGreaterThan(19_900);
});
