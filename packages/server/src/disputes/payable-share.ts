import { gate, splitRefund } from '@agora/contract';
import type { Tx } from '../platform/index.ts';
import { reclaimable } from '../vault/index.ts';
import { type DisputedTask, type DisputeRow, lastScore, type Ruling } from './sql.ts';

/**
 * The buyer's largest percentage that the seller's side can still pay. Where nobody rules but the
 * clock or a score, no more than that is given back: the reserve pays on the operator's word alone, or two owners of one
 * mind could mint credits, one withdrawing the earnings and the other disputing the task.
 */
export async function payableShare(tx: Tx, { id: taskId, agentId, price, feeBps }: DisputedTask): Promise<number> {
  const cents = await reclaimable(tx, { taskId, agentId });
  const payoutOf = (share: number) => splitRefund(price, Math.floor((price * share) / 100), feeBps).payoutCents;
  for (let share = 100; share > 0; share--) if (payoutOf(share) <= cents) return share;
  return 0;
}

/**
 * The outcome if the operator stays silent: that of the last verdict on the delivery, or the buyer's where the seller has
 * never answered. A buyer who wins gets what the seller's wallet still has.
 */
export async function silentRuling(tx: Tx, found: DisputeRow, task: DisputedTask): Promise<Ruling> {
  const by = { decidedBy: 'operator_silent', note: null } as const;
  const stands = found.respondedAt !== null && (await lastScore(tx, found.id)) >= gate.passScore;
  if (stands) return { outcome: 'seller_wins', share: null, ...by };
  const share = await payableShare(tx, task);
  if (share === 100) return { outcome: 'buyer_wins', share: null, ...by };
  return share > 0 ? { outcome: 'split', share, ...by } : { outcome: 'dismissed', share: null, ...by };
}
