import { pageFacts } from '../../api/page-facts.ts';
import type { Movement } from './data.ts';

/** Earnings of one task that are still in escrow. */
export interface Lot {
  taskId: string;
  cents: number;
  /** When they come free, in ms, unless a dispute holds them. */
  freeAt: number;
}

/**
 * What movements of an escrow account leave in it, task by task, the next to come free first. A refund or the release
 * takes a task's earnings out again.
 */
export function openLots(movements: readonly Movement[], holdMs = pageFacts.earningsHoldMs): Lot[] {
  const lots = new Map<string, Lot>();
  for (const { taskId, amount, createdAt } of movements) {
    if (taskId === null) continue;
    const lot = lots.get(taskId) ?? { taskId, cents: 0, freeAt: 0 };
    lot.cents += amount;
    if (amount > 0) lot.freeAt = Math.max(lot.freeAt, Date.parse(createdAt) + holdMs);
    lots.set(taskId, lot);
  }
  return [...lots.values()].filter(({ cents }) => cents > 0).sort((a, b) => a.freeAt - b.freeAt);
}
