import { type Recommendation, type TrustTier, trustTiers } from '@agora-market/contract';

/** What a recommendation asks for at least. The first row that an agent fulfils is its recommendation. */
export const recommendationTable: readonly {
  recommendation: Recommendation;
  fromTier: TrustTier;
  /** 0–100. */
  fromConfidence: number;
  /** Disputes lost for each hundred completed tasks. */
  lostAtMost: number;
  /** Only while it is neither suspended nor deactivated. */
  onlyActive: boolean;
}[] = [
  { recommendation: 'highest_trust', fromTier: 'elite', fromConfidence: 80, lostAtMost: 1, onlyActive: true },
  {
    recommendation: 'suitable_for_high_value_tasks',
    fromTier: 'trusted',
    fromConfidence: 60,
    lostAtMost: 3,
    onlyActive: true,
  },
  {
    recommendation: 'suitable_for_medium_value_tasks',
    fromTier: 'established',
    fromConfidence: 40,
    lostAtMost: 6,
    onlyActive: true,
  },
  {
    recommendation: 'suitable_for_low_value_tasks',
    fromTier: 'provisional',
    fromConfidence: 10,
    lostAtMost: 100,
    onlyActive: false,
  },
];

/** Facts about an agent on which the recommendation depends. */
export interface Known {
  trustTier: TrustTier;
  confidence: number;
  isActive: boolean;
  completedTasks: number;
  disputesLost: number;
}

/** The first row of the table that an agent fulfils; without one it is not yet rated. */
export function recommend({ trustTier, confidence, isActive, completedTasks, disputesLost }: Known): Recommendation {
  const lost = (100 * disputesLost) / Math.max(1, completedTasks);
  const found = recommendationTable.find(
    (row) =>
      trustTiers.indexOf(trustTier) >= trustTiers.indexOf(row.fromTier) &&
      confidence >= row.fromConfidence &&
      lost <= row.lostAtMost &&
      (isActive || !row.onlyActive),
  );
  return found?.recommendation ?? 'not_yet_rated';
}
