import type { Category } from '@agora/contract';
import { weightOfPrice } from './buyer.ts';
import { decay, type Evidence, emptyEvidence, emptyTally, observe } from './evidence.ts';
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
  /** It passed, and the buyer alone took its money back. */
  refused: boolean;
  /** Its outcome is what was seen of the work. Otherwise it is the buyer's thumb, or nothing before there is one. */
  isMeasured: boolean;
  /** The submitter named the agent. */
  isDirect: boolean;
}

/** What one buyer has to say of one agent: its weight when it last spoke, and its last outcomes, newest first. */
export interface Voice {
  weight: number;
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
    refused: false,
    isMeasured: !isPassed || ended.quality !== null,
    isDirect: ended.isDirect,
  };
  return { weight, heard: withRoom([heard, ...(voice?.heard ?? [])]) };
}

/** At most so many as count. The oldest goes first of those after the newest that say nothing of an outcome. */
function withRoom(heard: Heard[]): Heard[] {
  if (heard.length <= weights.outcomesOfBuyer) return heard;
  const silent = heard.findLastIndex(({ outcome }, index) => outcome === null && index > 0);
  return heard.toSpliced(silent < 0 ? heard.length - 1 : silent, 1);
}

/** What a buyer says after a task counts as something else; null where the task is no longer heard. */
export function revise(voice: Voice | null, revision: Revised, weight: number): Voice | null {
  const { taskId, as } = revision;
  const at = voice?.heard.findIndex(({ task }) => task === taskId) ?? -1;
  const before = voice?.heard[at];
  if (!voice || !before) return null;
  const others = voice.heard.filter((one) => one !== before);
  if (as === 'struck') return { weight, heard: others };
  return { weight, heard: voice.heard.with(at, revised(before, as, revision)) };
}

function revised(before: Heard, as: Exclude<Revised['as'], 'struck'>, { share = 0, isRuled = false }: Revised): Heard {
  switch (as) {
    case 'up':
      return thumbed(before, 'up');
    case 'down':
      return thumbed(before, 'down');
    case 'refunded':
      return { ...before, outcome: 0, economic: 0, feedback: 0, refused: !isRuled };
    case 'shared':
      return { ...before, outcome: before.outcome === null ? null : before.outcome * (1 - share), feedback: 0 };
  }
}

const thumbed = (before: Heard, thumb: 'up' | 'down'): Heard => ({
  ...before,
  feedback: thumb === 'up' ? 1 : 0,
  outcome: before.isMeasured || before.refused ? before.outcome : weights.thumb[thumb],
});

/** What a task counts, whoever bought it. */
const partOf = ({ price, isDirect }: Heard): number => weightOfPrice(price) * (isDirect ? weights.direct : 1);

/** What its outcome weighs when it is new, with a buyer of such a weight. */
export const outcomeWeight = (heard: Heard, weight: number): number =>
  weight * partOf(heard) * (heard.isMeasured ? 1 : weights.thumb.weight);

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
      const domain = evidence.domains[one.category] ?? emptyTally();
      observe(domain, says, one.outcome);
      evidence.domains[one.category] = domain;
    }
    const fresh = part * weights.repeat ** index;
    const said = weight * fresh;
    if (one.feedback !== null) observe(evidence.relationship, said, one.feedback);
    if (one.prompt !== null) observe(evidence.relationship, said * weights.promptness, one.prompt);
    if (one.economic !== null) observe(evidence.economic, said, one.economic);
    if (one.reliability !== null) {
      observe(evidence.reliability, Math.max(weight, weights.minReliabilityVoice) * fresh, one.reliability);
    }
  });
  return evidence;
}

/**
 * What a buyer's refunds weigh in the share of completed tasks. As in the score, a buyer counts by its voice, and each
 * later outcome makes an earlier one count less. So one buyer does the harm of a few tasks at most.
 */
export const refusalsOf = ({ weight, heard }: Voice): number =>
  weight * heard.reduce((sum, { refused }, index) => sum + (refused ? weights.repeat ** index : 0), 0);
