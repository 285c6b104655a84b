import type { Category } from '@agora-market/contract';
import { weightOfPrice } from './buyer.ts';
import { decay, type Evidence, emptyEvidence, emptyWork, observe } from './evidence.ts';
import type { Ended, Revised } from './fact.ts';
import { weights } from './weights.ts';

/** One task that a buyer had from an agent. Observations go from 0 (bad) to 1 (good); null where there is none. */
export interface Heard {
  task: string;
  at: number;
  category: Category;
  price: number;
  outcome: number | null;
  feedback: number | null;
  prompt: number | null;
  economic: number | null;
  reliability: number | null;
  /** How much the buyer's no counts that no other evidence bears out, 0–1: its refund, or its own measure that failed. */
  refused: number;
  /** Its outcome is what was seen of the work. Otherwise it is the buyer's thumb, or nothing before there is one. */
  isMeasured: boolean;
  /** The submitter named the agent. */
  isDirect: boolean;
  /** The agent said that it could not, or its time passed. */
  isUndelivered: boolean;
}

/** What one buyer has to say of one agent: its weight when it last spoke, and its last outcomes, newest first. */
export interface Voice {
  weight: number;
  /** It has paid for work that passed and did not get all of that back, and is not the agent's own principal. */
  hasPaid: boolean;
  heard: Heard[];
}

/** How good a price is: 1 for nothing, ½ at the median of the category, towards 0 above. Null where there is no median. */
const valueOfPrice = (price: number, median: number | null): number | null =>
  median === null ? null : price === 0 ? 1 : median / (median + price);

/** What a buyer says after a task has ended. `median` is the category's price in cents. */
export function hear(voice: Voice | null, ended: Ended, weight: number, median: number | null): Voice {
  const isPassed = ended.how === 'passed';
  const heard: Heard = {
    task: ended.taskId,
    at: ended.at,
    category: ended.category,
    price: ended.price,
    // What was refused or never came is worth nothing to its buyer, however close it was.
    outcome: isPassed ? (ended.quality === null ? null : ended.quality / 100) : 0,
    feedback: null,
    prompt: ended.waited === null ? null : 1 - Math.min(1, Math.max(0, ended.waited)),
    economic: isPassed ? valueOfPrice(ended.price, median) : 0,
    reliability: isPassed ? 1 : 0,
    refused: ended.answerable === 'buyer' ? 1 : 0,
    isMeasured: !isPassed || ended.quality !== null,
    isDirect: ended.isDirect === true,
    isUndelivered: ended.how === 'failed',
  };
  const hasPaid = voice?.hasPaid === true || (isPassed && ended.price > 0);
  return { weight, hasPaid, heard: withRoom([heard, ...(voice?.heard ?? [])]) };
}

/** At most so many as count. The oldest goes first of those after the newest that say nothing of an outcome. */
function withRoom(heard: Heard[]): Heard[] {
  if (heard.length <= weights.outcomesOfBuyer) return heard;
  const silent = heard.findLastIndex(({ outcome }, index) => outcome === null && index > 0);
  return withRoom(heard.toSpliced(silent < 0 ? heard.length - 1 : silent, 1));
}

/** What two buyers say once they are known to be one. */
export const joined = (one: Voice, other: Voice): Voice => ({
  weight: Math.max(one.weight, other.weight),
  hasPaid: one.hasPaid || other.hasPaid,
  heard: withRoom([...one.heard, ...other.heard].sort((a, b) => b.at - a.at || (a.task < b.task ? -1 : 1))),
});

/** What a buyer says after a task counts as something else; null where the task is no longer heard. */
export function revise(voice: Voice | null, revision: Revised, weight: number, weightOfRefund: number): Voice | null {
  const { taskId, as } = revision;
  const at = voice?.heard.findIndex(({ task }) => task === taskId) ?? -1;
  const before = voice?.heard[at];
  if (!voice || !before) return null;
  const others = voice.heard.filter((one) => one !== before);
  if (as === 'struck') return { ...voice, weight, heard: others };
  const heard = voice.heard.with(at, revised(before, as, revision, weightOfRefund));
  const hasPaid = voice.hasPaid && (as !== 'refunded' || heard.some(isPaid));
  return { weight, hasPaid, heard };
}

/** Paid for, and not refunded. */
const isPaid = ({ price, reliability, refused, economic }: Heard): boolean =>
  price > 0 && reliability === 1 && refused === 0 && economic !== 0;

function revised(
  before: Heard,
  as: Exclude<Revised['as'], 'struck'>,
  { share = 0, isRuled = false }: Revised,
  weightOfRefund: number,
): Heard {
  switch (as) {
    case 'up':
      return thumbed(before, 'up');
    case 'down':
      return thumbed(before, 'down');
    case 'refunded':
      // A thumb does not undo what the gate measured; a ruling does.
      return isRuled
        ? { ...before, outcome: 0, economic: 0, feedback: 0, isMeasured: true }
        : { ...before, feedback: 0, refused: weightOfRefund };
    case 'shared':
      return { ...before, outcome: before.outcome === null ? null : before.outcome * (1 - share), feedback: 0 };
  }
}

const thumbed = (before: Heard, thumb: 'up' | 'down'): Heard => ({
  ...before,
  feedback: thumb === 'up' ? 1 : 0,
  outcome: before.isMeasured ? before.outcome : weights.thumb[thumb],
});

/** What a task counts, whoever bought it. */
const partOf = ({ price, isDirect }: Heard): number => weightOfPrice(price) * (isDirect ? weights.direct : 1);

/** What its outcome weighs when it is new, with a buyer of such a weight. */
export const outcomeWeight = (heard: Heard, weight: number): number => weight * partOf(heard);

export const isRefund = ({ feedback, refused }: Heard): boolean => feedback === 0 && refused > 0;

/**
 * What a task says of the work in its category. A thumb draws a measured score towards what it says, and never the other way. One
 * that brings its buyer the money back is no disinterested word, so it draws nothing.
 */
export function worthOf(outcome: number, heard: Heard): number {
  if (!heard.isMeasured || heard.feedback === null || isRefund(heard)) return outcome;
  const { up, down, besideScore } = weights.thumb;
  const said = heard.feedback === 1 ? Math.max(up, outcome) : Math.min(down, outcome);
  return (outcome + besideScore * said) / (1 + besideScore);
}

/** The evidence in what a buyer says, as it weighs at a time (ms). */
export function evidenceOf({ weight, heard }: Voice, at: number): Evidence {
  const evidence = emptyEvidence();
  let outcomes = 0;
  heard.forEach((one, index) => {
    const part = partOf(one) * decay(at - one.at);
    if (one.outcome !== null) {
      // Tasks that say nothing of an outcome do not make those that do count less.
      const says = outcomeWeight(one, weight) * weights.repeat ** outcomes * decay(at - one.at);
      outcomes++;
      observe(evidence.outcome, says, one.outcome);
      const work = evidence.domains[one.category] ?? emptyWork();
      evidence.domains[one.category] = work;
      observe(work, says, worthOf(one.outcome, one));
      if (one.isUndelivered) work.undelivered += says;
    }
    const fresh = part * weights.repeat ** index;
    const said = weight * fresh;
    if (one.feedback !== null) observe(evidence.relationship, isRefund(one) ? said * one.refused : said, one.feedback);
    if (one.prompt !== null) observe(evidence.relationship, said * weights.promptness, one.prompt);
    if (one.economic !== null) observe(evidence.economic, said, one.economic);
    if (one.reliability !== null) {
      observe(evidence.delivery, said, one.isUndelivered ? 0 : 1);
      const isContested = one.reliability === 0 && one.refused > 0;
      const least = isContested ? 0 : weights.minReliabilityVoice;
      observe(evidence.reliability, Math.max(weight, least) * fresh, one.reliability);
    }
  });
  return evidence;
}

/**
 * What a buyer's refunds, and failures by its measures alone, weigh in the share of completed tasks. As in the score, a buyer counts by its voice, and each
 * later outcome makes an earlier one count less. So one buyer does the harm of a few tasks at most.
 */
export const refusalsOf = ({ weight, heard }: Voice): number =>
  weight * heard.reduce((sum, { refused }, index) => sum + refused * weights.repeat ** index, 0);
