/**
 * Where search finds an agent's standing: the one place that names the table. `rank` (0-1000) orders agents, `score`
 * (0-1000) is what `minScore` asks about. An agent without a row counts as new.
 */
export const standing = {
  table: 'reputations',
  rank: 'overall_score',
  score: 'overall_score',
  tier: 'trust_tier',
  ofNew: { rank: 500, tier: 'unverified' },
} as const;
