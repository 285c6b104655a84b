import type { Category } from '@agora-market/contract';
import { weights } from './weights.ts';

export const dimensions = ['outcome', 'relationship', 'economic', 'reliability'] as const;
export type Dimension = (typeof dimensions)[number];

/** Weighted observations from 0 (bad) to 1 (good): the sum of their weights, and of weight × value. */
export interface Tally {
  mass: number;
  good: number;
}

/** Evidence in a category, with the part of its mass that is of tasks without a delivery. */
export interface Work extends Tally {
  undelivered: number;
}

export interface Evidence extends Record<Dimension, Tally> {
  /** What the agent delivered of what it began, whatever came of it. */
  delivery: Tally;
  domains: Partial<Record<Category, Work>>;
}

export const emptyTally = (): Tally => ({ mass: 0, good: 0 });
export const emptyWork = (): Work => ({ ...emptyTally(), undelivered: 0 });

export const emptyEvidence = (): Evidence => ({
  outcome: emptyTally(),
  relationship: emptyTally(),
  economic: emptyTally(),
  reliability: emptyTally(),
  delivery: emptyTally(),
  domains: {},
});

/** The part of a weight that remains after so many ms. */
export const decay = (elapsedMs: number): number =>
  elapsedMs <= 0 ? 1 : 2 ** (-elapsedMs / (weights.halfLifeDays * 86_400_000));

/** Adds `factor × b` in place. Weights cannot fall below zero; what rounding leaves there is taken off. */
function add(a: Tally, b: Tally, factor: number): void {
  a.mass = Math.max(0, a.mass + factor * b.mass);
  a.good = Math.min(a.mass, Math.max(0, a.good + factor * b.good));
}

/** Adds `factor × b` to `a`, tally by tally and in place; gives `a`. */
export function combine(a: Evidence, b: Evidence, factor: number): Evidence {
  for (const dimension of dimensions) add(a[dimension], b[dimension], factor);
  add(a.delivery, b.delivery, factor);
  for (const category in b.domains) {
    const work = b.domains[category as Category] as Work;
    let sum = a.domains[category as Category];
    if (sum === undefined) a.domains[category as Category] = sum = emptyWork();
    add(sum, work, factor);
    sum.undelivered = Math.min(sum.mass, Math.max(0, sum.undelivered + factor * work.undelivered));
  }
  return a;
}

/** A copy of the evidence as it weighs when so many ms have passed. */
export const agedCopy = (evidence: Evidence, elapsedMs: number): Evidence =>
  combine(emptyEvidence(), evidence, decay(elapsedMs));

/** The same to read only; the evidence itself where no time has passed. */
export const aged = (evidence: Evidence, elapsedMs: number): Readonly<Evidence> =>
  elapsedMs <= 0 ? evidence : agedCopy(evidence, elapsedMs);

export const observe = (tally: Tally, weight: number, value: number): void => {
  tally.mass += weight;
  tally.good += weight * value;
};
