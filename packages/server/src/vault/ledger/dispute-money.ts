import { splitPrice, splitRefund } from '@agora-market/contract';
import { type Queryable, row, rows } from '../../platform/index.ts';
import { holdPayout, shortenHold } from '../payouts/payout-hold.ts';
import { balancesOf } from '../sql.ts';
import { platformHolder, type Transfer, transfer } from './transfer.ts';

/** Causes by which a dispute gives credits back to the buyer's pool, as a list in SQL. */
export const disputeRefunds = `'dispute_payout_refunded', 'dispute_fee_refunded', 'dispute_debited', 'dispute_covered'`;

/** Keeps earnings that are still escrowed from being released; false if they are out already. */
export const freezeEarnings = async (tx: Queryable, taskId: string): Promise<boolean> =>
  (await row(
    tx,
    'vault_freeze_earnings',
    `update earnings set status = 'frozen' where task_id = $1 and status = 'pending' returning task_id`,
    [taskId],
  )) !== null;

export interface DisputedCharge {
  taskId: string;
  /** Whose pool paid, and who earned. */
  ownerId: string;
  agentId: string;
  priceCents: number;
  /** The platform's share of it, in basis points. */
  feeBps: number;
  /** Part of the price that the buyer gets back; all of it if `isLost`. */
  refundCents: number;
  isLost: boolean;
  /** PAYOUT_HOLD_MS, for what of the earnings is released. */
  payoutHoldMs: number;
}

/** How much of a payout its agent can still return, in cents: all if it is frozen, else what the wallet has of earnings. */
export async function reclaimable(
  tx: Queryable,
  { taskId, agentId }: { taskId: string; agentId: string },
): Promise<number> {
  const earnings = await row<{ status: string; amount: number }>(
    tx,
    'vault_reclaimable',
    'select status, amount from earnings where task_id = $1',
    [taskId],
  );
  if (earnings?.status === 'frozen') return earnings.amount;
  return Math.min(earnings?.amount ?? 0, (await balancesOf(tx, agentId)).wallet_available);
}

/**
 * Ends a dispute's hold on money, in a transaction of mode 'ledger'. Frozen earnings refund the buyer, and the rest of
 * them is released. If they were released already, the agent's wallet pays down to zero, and the platform's reserve
 * covers what is missing. The fee of the refunded part is refunded too. Returns the released cents.
 */
export async function settleDisputed(tx: Queryable, charge: DisputedCharge, at: Date): Promise<number> {
  const { taskId, ownerId, agentId, priceCents, feeBps, refundCents, isLost, payoutHoldMs } = charge;
  const earnings = await row<{ status: string; amount: number }>(
    tx,
    'vault_disputed_earnings',
    'select status, amount from earnings where task_id = $1 for update',
    [taskId],
  );
  const isFrozen = earnings?.status === 'frozen';
  if (!earnings || !(isFrozen || earnings.status === 'released'))
    throw new Error('disputed earnings are neither frozen nor out');
  if (earnings.amount !== splitPrice(priceCents, feeBps).payoutCents)
    throw new Error('disputed earnings are not the payout');
  const { feeCents, payoutCents } = splitRefund(priceCents, refundCents, feeBps);
  const available = isFrozen ? 0 : (await balancesOf(tx, agentId)).wallet_available;
  const wallet = Math.min(available, payoutCents);
  const paid = isFrozen
    ? { escrow: payoutCents, wallet: 0, reserve: 0, fee: feeCents }
    : { escrow: 0, wallet, reserve: payoutCents - wallet, fee: feeCents };
  const pool = { holder: ownerId, kind: 'pool_available' } as const;
  const of = (cause: Transfer['cause'], from: Transfer['from'], to: Transfer['to'], amount: number): Transfer => {
    return { subject: taskId, cause, from, to, amount, at };
  };
  const escrow = { holder: agentId, kind: 'wallet_escrowed' } as const;
  const agents = { holder: agentId, kind: 'wallet_available' } as const;
  const released = isFrozen ? earnings.amount - paid.escrow : 0;
  const moves = [
    of('dispute_payout_refunded', escrow, pool, paid.escrow),
    of('dispute_debited', agents, pool, paid.wallet),
    of('dispute_covered', { holder: platformHolder, kind: 'dispute_reserve' }, pool, paid.reserve),
    of('dispute_fee_refunded', { holder: platformHolder, kind: 'platform_fees' }, pool, paid.fee),
    of('earnings_released', escrow, agents, released),
  ].filter(({ amount }) => amount > 0);
  if (moves.length > 0) await transfer(tx, moves);
  if (isFrozen) {
    await thaw(tx, taskId, isLost ? 'refunded' : 'released', at);
    await holdPayout(tx, { subject: taskId, agentId, buyerId: ownerId, amount: released }, at, payoutHoldMs);
  } else await shortenHold(tx, taskId, payoutCents);
  return released;
}

const thaw = (tx: Queryable, taskId: string, status: 'refunded' | 'released', at: Date) =>
  rows(tx, 'vault_thaw_earnings', 'update earnings set status = $2, resolved_at = $3 where task_id = $1', [
    taskId,
    status,
    at.toISOString(),
  ]);
