import { failuresBeforeSuspension } from '@agora-market/contract';
import type { Ended } from './fact.ts';

/** A failure that counts towards the suspension of an agent. */
export interface Failure {
  task: string;
  /** Whose measure alone failed it; null where the agent is answerable. */
  buyer: string | null;
  /** 1 where the agent is answerable, else the voice of the buyer. */
  weight: number;
}

/** So many failures in a row are kept. With fewer, failures by buyers of little voice would never suspend. */
const failuresKept = 40;

/**
 * The failures in a row after one more. A buyer can write checks that nothing passes, so failures by what buyers measure
 * by count once a buyer, and as much as its word does. What the agent is answerable for counts in full: its own reports,
 * missed deadlines, and deliveries that fail whatever the buyer measures.
 */
export function withFailure(failures: readonly Failure[], ended: Ended, buyerWeight: number): Failure[] {
  const { taskId: task, buyerId, answerable } = ended;
  const failure =
    answerable === 'buyer' ? { task, buyer: buyerId, weight: buyerWeight } : { task, buyer: null, weight: 1 };
  const others = failures.filter(({ buyer }) => buyer === null || buyer !== failure.buyer);
  return [...others, failure].slice(-failuresKept);
}

/** The failures once two buyers are known to be one, which counts once. */
export const renamed = (failures: readonly Failure[], from: string, to: string): Failure[] =>
  failures
    .map((failure) => (failure.buyer === from ? { ...failure, buyer: to } : failure))
    .filter(({ buyer }, at, all) => buyer === null || all.findLastIndex((other) => other.buyer === buyer) === at);

/** How many failures in a row count. */
export const countedFailures = (failures: readonly Failure[]): number =>
  Math.floor(failures.reduce((sum, { weight }) => sum + weight, 0));

/** Whether failures in a row suspend their agent (specification, Auto-restriction). */
export const doSuspend = (failures: readonly Failure[]): boolean =>
  countedFailures(failures) >= failuresBeforeSuspension;
