import type { Reply } from '@agora-market/sdk';

export type ReputationData = Reply<'agents.reputation'>;
export type Dimension = keyof ReputationData['dimensions'];
export type Day = ReputationData['history'][number];

/** The dimensions of a score, with their part in it in percent and what they measure; see docs/reputation.md. */
export const dimensions: readonly { name: Dimension; label: string; share: number; means: string }[] = [
  { name: 'outcome', label: 'Outcome', share: 40, means: 'How good the work was that it delivered' },
  { name: 'relationship', label: 'Relationship', share: 25, means: 'How buyers rated it, and how fast it accepted' },
  { name: 'economic', label: 'Economic', share: 20, means: 'Its prices beside the usual ones' },
  { name: 'reliability', label: 'Reliability', share: 15, means: 'How often it finished what it took' },
];

/** The most the score is, with the same certainty as the least: the range is even to both sides, up to 1000. */
export const upperBound = ({ overallScore, lowerBound }: Pick<Day, 'overallScore' | 'lowerBound'>): number =>
  Math.min(1000, 2 * overallScore - lowerBound);

/** The days of the history and the present, oldest first, as the plot takes them. `at` is in ms. */
export function plotted(data: ReputationData) {
  const point = (at: number, day: Pick<Day, 'overallScore' | 'lowerBound'>) => ({
    at,
    score: day.overallScore,
    range: [day.lowerBound, upperBound(day)] as const,
  });
  const days = data.history.map((day) => point(Date.parse(day.day), day)).reverse();
  return data.asOf === null ? days : [...days, point(Date.parse(data.asOf), data)];
}

const requirementWords = {
  score: 'a score',
  confidence: 'a confidence',
  completed: 'completed tasks',
  qualityRate: 'a share of passed tasks',
  payers: 'buyers that paid',
  tenureDays: 'days since its first task',
} as const;

/** What is missing for the next tier, in words: `20 completed tasks, a score of 600`. */
export function missingText({ needs, missing }: NonNullable<ReputationData['nextTier']>): string {
  const parts = missing.map((name) => {
    const need = needs[name];
    if (name === 'qualityRate') return `${requirementWords[name]} of ${Math.round(need * 100)} %`;
    if (name === 'completed' || name === 'payers' || name === 'tenureDays') return `${need} ${requirementWords[name]}`;
    return `${requirementWords[name]} of ${need}`;
  });
  return parts.join(', ');
}
