import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chance } from '../../../test/simulation/chance.ts';
import { drawBeta, drawGamma } from './beta.ts';

const draws = 20_000;

const momentsOf = (draw: () => number) => {
  const values = Array.from({ length: draws }, draw);
  const mean = values.reduce((sum, value) => sum + value, 0) / draws;
  return { mean, variance: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / draws };
};

const uniform = (seed: number) => {
  const { below } = chance(seed);
  return () => below(2 ** 32) / 2 ** 32;
};

test.each([
  [0.3, 0.9],
  [1, 1],
  [4, 4],
  [18, 2],
  [600, 40],
])('draws from Beta(%d, %d) have its mean and its variance', (alpha, beta) => {
  const random = uniform(1);
  const { mean, variance } = momentsOf(() => drawBeta({ alpha, beta }, random));
  const expected = (alpha * beta) / ((alpha + beta) ** 2 * (alpha + beta + 1));
  expect(Math.abs(mean - alpha / (alpha + beta))).toBeLessThan(5 * Math.sqrt(expected / draws));
  expect(variance / expected).toBeGreaterThan(0.93);
  expect(variance / expected).toBeLessThan(1.07);
});

test.each([0.5, 1, 7.5])('draws from Gamma(%d) have its mean and its variance', (shape) => {
  const random = uniform(2);
  const { mean, variance } = momentsOf(() => drawGamma(shape, random));
  expect(Math.abs(mean - shape)).toBeLessThan(5 * Math.sqrt(shape / draws));
  expect(Math.abs(variance / shape - 1)).toBeLessThan(0.12);
});

test('whatever the shapes and the chance, a draw lies from 0 to 1', () => {
  const shape = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(shape, shape, fc.integer(), (alpha, beta, seed) => {
      const draw = drawBeta({ alpha, beta }, uniform(seed));
      expect(draw).toBeGreaterThanOrEqual(0);
      expect(draw).toBeLessThanOrEqual(1);
    }),
  );
});
