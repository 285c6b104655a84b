/** The score of an agent that nobody knows. */
const scoreOfNew = 500;

/**
 * Where search finds an agent's standing: the one place that names the table. `rank` orders agents, the higher the better;
 * `score` (0-1000) is what `minScore` asks about. An agent without a row counts as new.
 *
 * Agents that are better than a new one with 95 % certainty come first, by the lower bound of their score (the mean of the
 * Beta posterior less 1.645 of its standard deviations: the one-sided normal bound, see docs/reputation.md). All others
 * follow by the score itself, whose prior is a new agent's. By the bound alone, which is 226 for a new agent, whoever is
 * known to be bad would come before it.
 */
export const standing = {
  table: 'reputations',
  rank: `case when lower_bound > ${scoreOfNew} then ${scoreOfNew} + lower_bound else overall_score end`,
  best: scoreOfNew + 1000,
  score: 'overall_score',
  tier: 'trust_tier',
  ofNew: { rank: scoreOfNew, tier: 'unverified' },
} as const;
