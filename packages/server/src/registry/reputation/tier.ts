import type { TrustTier } from '@agora-market/contract';
import type { AgentRecord } from './record.ts';
import type { Score } from './score.ts';

/** What a tier takes at least. */
export interface Requirements {
  score: number;
  /** Confidence, 0–100. */
  confidence: number;
  /** Tasks that passed and were not refunded. */
  completed: number;
  /** Of the tasks that ended, 0–1 (`qualityRateOf`). */
  qualityRate: number;
  /** Different buyers that paid for tasks that passed, without the agent's own principal (`principals.ts`). */
  payers: number;
  /** Days since the first task passed. */
  tenureDays: number;
}

/** What each tier takes, best first. An agent has the first whose every line it meets. */
export const tierTable: readonly (Requirements & { tier: TrustTier })[] = [
  { tier: 'elite', score: 850, confidence: 75, completed: 500, qualityRate: 0.95, payers: 3, tenureDays: 90 },
  { tier: 'trusted', score: 720, confidence: 55, completed: 100, qualityRate: 0.9, payers: 3, tenureDays: 30 },
  { tier: 'established', score: 600, confidence: 25, completed: 20, qualityRate: 0.8, payers: 3, tenureDays: 0 },
  { tier: 'provisional', score: 0, confidence: 0, completed: 3, qualityRate: 0, payers: 0, tenureDays: 0 },
];

/** Below this score an agent is provisional at most (specification, Auto-restriction). */
export const restrictedBelow = 100;

type Counts = Pick<AgentRecord, 'completed' | 'failed' | 'contested' | 'refusals' | 'payers' | 'firstPassedAt'>;

/**
 * The completed part of the tasks that ended, 0–1. A refund weighs as much as its buyer's word, or a whole task if ruled; so
 * does a failure by what its buyer alone measures by.
 */
export const qualityRateOf = ({
  completed,
  failed,
  contested,
  refusals,
}: Omit<Counts, 'payers' | 'firstPassedAt'>): number =>
  completed / Math.max(1, completed + Math.max(0, failed - contested) + refusals);

/** What an agent has of what tiers take, at a time (ms). */
function reached(record: Counts, score: Pick<Score, 'overallScore' | 'confidence'>, at: number): Requirements {
  const { completed, firstPassedAt } = record;
  return {
    score: score.overallScore,
    confidence: score.confidence,
    completed,
    qualityRate: qualityRateOf(record),
    payers: record.payers,
    tenureDays: firstPassedAt === null ? 0 : (at - firstPassedAt) / 86_400_000,
  };
}

const missingIn = (has: Requirements, needs: Requirements) =>
  (Object.keys(has) as (keyof Requirements)[]).filter((each) => has[each] < needs[each]);

/** The tier that a record earns at a time (ms). It goes down as it goes up: by the table alone. */
export function tierOf(record: AgentRecord, score: Score, at: number): TrustTier {
  const has = reached(record, score, at);
  const met = tierTable.find(
    (needs) => missingIn(has, needs).length === 0 && (has.score >= restrictedBelow || needs.tier === 'provisional'),
  );
  return met?.tier ?? 'unverified';
}

/** What the tier above takes, and which of it an agent does not have at a time (ms); null for the highest. */
export function nextTierOf(
  tier: TrustTier,
  record: Counts,
  score: Pick<Score, 'overallScore' | 'confidence'>,
  at: number,
) {
  const own = tierTable.findIndex((each) => each.tier === tier);
  const above = tierTable.at(own < 0 ? -1 : own - 1);
  if (own === 0 || above === undefined) return null;
  const { tier: next, ...needs } = above;
  return { tier: next, needs, missing: missingIn(reached(record, score, at), needs) };
}
