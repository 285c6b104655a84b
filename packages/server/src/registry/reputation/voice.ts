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
  /** How much the buyer's no counts that no other evidence bears out, 0–1: its refund, or its own measure that failed. */
  refused: number;
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
    outcome: isPassed ? (ended.quality ?? 0) / 100 : 0,
    feedback: null,
    prompt: ended.waited === null ? null : 1 - Math.min(1, Math.max(0, ended.waited)),
    economic: isPassed ? valueOfPrice(ended.price, median) : 0,
    reliability: isPassed ? 1 : 0,
    refused: ended.answerable === 'buyer' ? 1 : 0,
  };
  return { weight, heard: [heard, ...(voice?.heard ?? [])].slice(0, weights.outcomesOfBuyer) };
}

/** What a buyer says after a task counts as something else; null where the task is no longer heard. */
export function revise(voice: Voice | null, revision: Revised, weight: number, weightOfRefund: number): Voice | null {
  const { taskId, as } = revision;
  const at = voice?.heard.findIndex(({ task }) => task === taskId) ?? -1;
  const before = voice?.heard[at];
  if (!voice || !before) return null;
  const others = voice.heard.filter((one) => one !== before);
  if (as === 'struck') return { weight, heard: others };
  return { weight, heard: voice.heard.with(at, revised(before, as, revision, weightOfRefund)) };
}

function revised(
  before: Heard,
  as: Exclude<Revised['as'], 'struck'>,
  { share = 0, isRuled = false }: Revised,
  weightOfRefund: number,
): Heard {
  switch (as) {
    case 'up':
      return { ...before, feedback: 1 };
    case 'down':
      return { ...before, feedback: 0 };
    case 'refunded':
      // A thumb does not undo what the gate measured; a ruling does.
      return isRuled
        ? { ...before, outcome: 0, economic: 0, feedback: 0 }
        : { ...before, feedback: 0, refused: weightOfRefund };
    case 'shared':
      return { ...before, outcome: before.outcome === null ? null : before.outcome * (1 - share), feedback: 0 };
  }
}

/** The evidence in what a buyer says, as it weighs at a time (ms). */
export function evidenceOf({ weight, heard }: Voice, at: number): Evidence {
  const evidence = emptyEvidence();
  heard.forEach((one, index) => {
    const fresh = weightOfPrice(one.price) * weights.repeat ** index * decay(at - one.at);
    const said = weight * fresh;
    if (one.outcome !== null) {
      observe(evidence.outcome, said, one.outcome);
      const domain = evidence.domains[one.category] ?? emptyTally();
      observe(domain, said, one.outcome);
      evidence.domains[one.category] = domain;
    }
    if (one.feedback !== null) {
      const isRefund = one.feedback === 0 && one.refused > 0;
      observe(evidence.relationship, isRefund ? said * one.refused : said, one.feedback);
    }
    if (one.prompt !== null) observe(evidence.relationship, said * weights.promptness, one.prompt);
    if (one.economic !== null) observe(evidence.economic, said, one.economic);
    if (one.reliability !== null) {
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
