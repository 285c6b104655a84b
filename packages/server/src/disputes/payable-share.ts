import { gate, splitRefund } from '@agora-market/contract';
import type { Tx } from '../platform/index.ts';
import { reclaimable } from '../vault/index.ts';
import { provenSide } from './proofs.ts';
import { verdictsOf } from './proofs-sql.ts';
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

/** The buyer wins, and gets what the seller's wallet still has. */
async function buyerWins(tx: Tx, task: DisputedTask, by: Pick<Ruling, 'decidedBy' | 'note'>): Promise<Ruling> {
  const share = await payableShare(tx, task);
  if (share === 100) return { outcome: 'buyer_wins', share: null, ...by };
  if (share > 0) return { outcome: 'split', share, ...by };
  // Nothing was proved against the buyer: no record of it counts this as lost.
  return { outcome: 'dismissed', share: null, decidedBy: 'operator_silent', note: null };
}

/**
 * The outcome where the operator stays silent: the side wins that alone has proved something; without one that of the
 * last verdict on the delivery, or the buyer where the seller has never answered. Null while a proof is not run.
 */
export async function silentRuling(tx: Tx, found: DisputeRow, task: DisputedTask): Promise<Ruling | null> {
  const verdicts = await verdictsOf(tx, found.id);
  if (verdicts.includes(null)) return null;
  const proven = provenSide(verdicts);
  const by = { decidedBy: proven === null ? 'operator_silent' : 'proof', note: null } as const;
  const stands = found.respondedAt !== null && (await lastScore(tx, found.id)) >= gate.passScore;
  const winner = proven ?? (stands ? 'seller' : 'buyer');
  return winner === 'seller' ? { outcome: 'seller_wins', share: null, ...by } : buyerWins(tx, task, by);
}
