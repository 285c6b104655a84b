// The reputation model as the simulation of the market uses it (`bench/src/market`): the functions of the server itself.
import type { Category } from '@agora/contract';
import { aged, emptyTally } from './evidence.ts';
import type { AgentRecord } from './record.ts';
import { meanOf, type Posterior } from './score.ts';
import { weights } from './weights.ts';

export { type Flow, voiceOf } from './buyer.ts';
export type { Tally } from './evidence.ts';
export type { Ended, Fact, Revised } from './fact.ts';
export { type AgentRecord, emptyRecord, record } from './record.ts';
export * from './score.ts';
export { restrictedBelow, tierOf, tierTable } from './tier.ts';
export type { Voice } from './voice.ts';

/** How good an agent is in a category at a time (ms), also where it has no evidence there. */
export function posteriorIn(record: AgentRecord, category: Category, at: number): Posterior {
  const { outcome, domains } = aged(record.evidence, at - record.asOf);
  const { priorMean, priorMass, domainPriorMass } = weights;
  const overall = {
    alpha: priorMass * priorMean + outcome.good,
    beta: priorMass * (1 - priorMean) + outcome.mass - outcome.good,
  };
  const { mass, good } = domains[category] ?? emptyTally();
  const prior = meanOf(overall);
  return { alpha: domainPriorMass * prior + good, beta: domainPriorMass * (1 - prior) + mass - good };
}
