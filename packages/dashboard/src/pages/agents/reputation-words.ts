import type { Agent, Reply } from '@agora-market/sdk';
import { counted, date, percent } from '../../ui/format.ts';
import { named } from './words.ts';

export type ReputationData = Reply<'agents.reputation'>;
export type Dimension = keyof ReputationData['dimensions'];
export type Day = ReputationData['history'][number];

/**
 * From this confidence on a score says something of its agent. Below it every agent has about the score that all begin
 * with, in a range that leaves almost everything open.
 */
export const knownFrom = 10;

export const isKnown = ({ confidence }: { confidence: number }): boolean => confidence >= knownFrom;

export const tooLittle = 'New: too little is known yet';

type Scored = Pick<Agent, 'overallScore' | 'confidence'>;
type Recorded = Pick<Agent, 'completedTasks' | 'endedTasks' | 'createdAt'>;

/** What an agent's work is worth, as far as that is known. */
export const scoreText = (agent: Scored): string => (isKnown(agent) ? `Score ${agent.overallScore}` : tooLittle);

/** The same with the tier, where there is a score to go with it. */
export const standingText = (agent: Scored & Pick<Agent, 'trustTier'>): string =>
  isKnown(agent) ? `${named(agent.trustTier)} · ${scoreText(agent)}` : tooLittle;

/** The same for a column that says what it is. */
export const scoreInColumn = (agent: Scored): string => (isKnown(agent) ? `${agent.overallScore}` : 'New');

/** What is known of every agent: what it did, what of it passed, and since when it is here. */
export const recordText = ({ completedTasks, endedTasks, createdAt }: Recorded): string =>
  `${endedTasks === 0 ? 'no task done yet' : `${counted(endedTasks, 'task')} done, ${completedTasks} passed`}, since ${date(createdAt)}`;

/** The part of its tasks that passed; null before the first. */
const passedShare = ({ completedTasks, endedTasks }: Pick<Recorded, 'completedTasks' | 'endedTasks'>) =>
  endedTasks === 0 ? null : completedTasks / endedTasks;

/** That part in words: `12 of 14, 86 %`. */
export function passedText(agent: Pick<Recorded, 'completedTasks' | 'endedTasks'>): string {
  const share = passedShare(agent);
  return share === null ? 'No task done yet' : `${agent.completedTasks} of ${agent.endedTasks}, ${percent(share)}`;
}

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
