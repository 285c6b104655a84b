import type { Category } from '@agora-market/contract';
import { decay, emptyTally, observe, type Tally } from './evidence.ts';
import { isRefund, type Voice, worthOf } from './voice.ts';
import { weights } from './weights.ts';

/**
 * What buyers' tastes are in a category, from pairs of a task and the earlier ones that its buyer had from the same agent. Each
 * task differs from what the agent's work is usually worth. Where buyers have tastes, the differences of a pair go together.
 */
export interface Tastes {
  /** Weight of the pairs. */
  pairs: number;
  /** Sum of weight × difference of the task × mean difference of the earlier ones. */
  together: number;
  /** Sum of weight × squared difference of the task. */
  apart: number;
}

export const noTastes = (): Tastes => ({ pairs: 0, together: 0, apart: 0 });

/**
 * What a buyer itself had from an agent in a category, as it weighs at a time (ms): its last deliveries, of which each later one takes an
 * earlier one to `repeat`. How often an agent delivers is no matter of taste, and what the buyer had refunded is no word of its worth.
 */
export function ownWork(voice: Voice | null, category: Category, at: number): Tally {
  const own = emptyTally();
  const judged = (voice?.heard ?? []).flatMap((heard) =>
    heard.category === category && heard.outcome !== null && !heard.isUndelivered && !isRefund(heard)
      ? { worth: worthOf(heard.outcome, heard), at: heard.at }
      : [],
  );
  // Newest first.
  for (const [index, task] of judged.entries()) observe(own, weights.repeat ** index * decay(at - task.at), task.worth);
  return own;
}

/** What one more task tells of tastes, beside `earlier` ones that its buyer had from the agent. `usual` is the mean of the agent's work. */
export function withPair(tastes: Tastes, weight: number, task: number, earlier: Tally, usual: number): Tastes {
  const { remembered } = weights.tastes;
  const [difference, before] = [task - usual, earlier.good / earlier.mass - usual];
  return {
    pairs: remembered * tastes.pairs + weight,
    together: remembered * tastes.together + weight * difference * before,
    apart: remembered * tastes.apart + weight * difference ** 2,
  };
}

/**
 * Bühlmann's k: with so many tasks of its own with an agent, what a buyer saw itself says as much as what all buyers saw; with n of
 * them it says n / (n + k). k is the variance of one buyer's tasks with an agent divided by the variance between buyers. Infinity where
 * buyers do not differ. Bühlmann, "Experience Rating and Credibility" (1967), https://doi.org/10.1017/S0515036100008989.
 */
export function credibleFrom({ pairs, together, apart }: Tastes): number {
  const { assumedPairs, leastTasks } = weights.tastes;
  const between = together / (pairs + assumedPairs);
  return between <= 0 ? Number.POSITIVE_INFINITY : Math.max(leastTasks, apart / pairs / between - 1);
}
