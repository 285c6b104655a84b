import { defaultShare, splitRefund } from '@agora/contract';
import type { Tx } from '../platform/index.ts';
import { reclaimable } from '../vault/index.ts';
import type { DisputedTask } from './sql.ts';

/**
 * The buyer's largest percentage, up to the one given, that the seller's side can still pay. Where nobody rules but the
 * clock or a score, no more than that is given back: the reserve pays on the operator's word alone, or two owners of one
 * mind could mint credits, one withdrawing the earnings and the other disputing the task.
 */
export async function payableShare(
  tx: Tx,
  { id: taskId, agentId, price, feeBps }: DisputedTask,
  wanted = 100,
): Promise<number> {
  const cents = await reclaimable(tx, { taskId, agentId });
  const payoutOf = (share: number) => splitRefund(price, Math.floor((price * share) / 100), feeBps).payoutCents;
  for (let share = wanted; share > 0; share--) if (payoutOf(share) <= cents) return share;
  return 0;
}

/** The outcome if the operator stays silent: both bear half, or the seller what its wallet still has. */
export async function silentRuling(tx: Tx, task: DisputedTask) {
  const share = await payableShare(tx, task, defaultShare);
  const by = { decidedBy: 'operator_silent', note: null } as const;
  return share > 0
    ? ({ outcome: 'split', share, ...by } as const)
    : ({ outcome: 'dismissed', share: null, ...by } as const);
}
