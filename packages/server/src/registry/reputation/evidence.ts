import type { Category } from '@agora/contract';
import { weights } from './weights.ts';

export const dimensions = ['outcome', 'relationship', 'economic', 'reliability'] as const;
export type Dimension = (typeof dimensions)[number];

/** Weighted observations from 0 (bad) to 1 (good): the sum of their weights, and of weight × value. */
export interface Tally {
  mass: number;
  good: number;
}

export interface Evidence extends Record<Dimension, Tally> {
  domains: Partial<Record<Category, Tally>>;
}

export const emptyTally = (): Tally => ({ mass: 0, good: 0 });

export const emptyEvidence = (): Evidence => ({
  outcome: emptyTally(),
  relationship: emptyTally(),
  economic: emptyTally(),
  reliability: emptyTally(),
  domains: {},
});

/** What is left of a weight after so many ms. */
export const decay = (elapsedMs: number): number =>
  elapsedMs <= 0 ? 1 : 2 ** (-elapsedMs / (weights.halfLifeDays * 86_400_000));

/** Weights cannot fall below zero; what rounding leaves there is taken off. */
const plus = (a: Tally, b: Tally, factor: number): Tally => {
  const mass = Math.max(0, a.mass + factor * b.mass);
  return { mass, good: Math.min(mass, Math.max(0, a.good + factor * b.good)) };
};

/** `a + factor × b`, tally by tally. */
export function combine(a: Evidence, b: Evidence, factor: number): Evidence {
  const domains = { ...a.domains };
  for (const [category, tally] of Object.entries(b.domains) as [Category, Tally][]) {
    domains[category] = plus(domains[category] ?? emptyTally(), tally, factor);
  }
  return {
    outcome: plus(a.outcome, b.outcome, factor),
    relationship: plus(a.relationship, b.relationship, factor),
    economic: plus(a.economic, b.economic, factor),
    reliability: plus(a.reliability, b.reliability, factor),
    domains,
  };
}

/** The evidence as it weighs when so many ms have passed. */
export const aged = (evidence: Evidence, elapsedMs: number): Evidence =>
  elapsedMs <= 0 ? evidence : combine(emptyEvidence(), evidence, decay(elapsedMs));

export const observe = (tally: Tally, weight: number, value: number): void => {
  tally.mass += weight;
  tally.good += weight * value;
};
