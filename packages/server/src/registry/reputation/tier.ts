import type { TrustTier } from '@agora/contract';
import type { AgentRecord } from './record.ts';
import type { Score } from './score.ts';

interface Requirements {
  tier: TrustTier;
  score: number;
  /** Confidence, 0–100. */
  confidence: number;
  /** Tasks that passed and were not refunded. */
  completed: number;
  /** The part of all ended tasks that these are, 0–1. */
  qualityRate: number;
  /** Days since the first task passed. */
  tenureDays: number;
}

/** What each tier takes, best first. An agent has the first whose every line it meets. */
export const tierTable: readonly Requirements[] = [
  { tier: 'elite', score: 850, confidence: 75, completed: 500, qualityRate: 0.95, tenureDays: 90 },
  { tier: 'trusted', score: 720, confidence: 55, completed: 100, qualityRate: 0.9, tenureDays: 30 },
  { tier: 'established', score: 600, confidence: 25, completed: 20, qualityRate: 0.8, tenureDays: 0 },
  { tier: 'provisional', score: 0, confidence: 0, completed: 3, qualityRate: 0, tenureDays: 0 },
];

/** Below this score an agent is provisional at most (specification, Auto-restriction). */
export const restrictedBelow = 100;

/** The tier that a record earns at a time (ms). It goes down as it goes up: by the table alone. */
export function tierOf(record: AgentRecord, score: Score, at: number): TrustTier {
  const ended = record.completed + record.failed + record.refunded;
  const qualityRate = ended === 0 ? 0 : record.completed / ended;
  const tenureDays = record.firstPassedAt === null ? 0 : (at - record.firstPassedAt) / 86_400_000;
  const met = tierTable.find(
    (needs) =>
      score.overallScore >= needs.score &&
      score.confidence >= needs.confidence &&
      record.completed >= needs.completed &&
      qualityRate >= needs.qualityRate &&
      tenureDays >= needs.tenureDays &&
      (score.overallScore >= restrictedBelow || needs.tier === 'provisional'),
  );
  return met?.tier ?? 'unverified';
}
