import { toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import type { Tx } from '../../platform/index.ts';
import { type Account, platformHolder, transfer } from '../ledger/transfer.ts';
import type { PaymentDeps } from './calls.ts';
import { collectOwed } from './debts.ts';
import type { Refund, Reversal } from './pay-in.ts';
import { closeRefund, failRefund, findRefund, noteRefundRef, type RefundRow } from './refund-sql.ts';
import type { TopUpRow } from './top-up-sql.ts';

const clearing: Account = { holder: platformHolder, kind: 'processor_clearing' };

/** The refund of ours among the reversals of a charge. */
const outcomeOf = ({ ref, state, ours }: Reversal): Refund => {
  if (state === 'undone') return { status: 'failed', ref, reason: "The refund did not reach the cardholder's bank." };
  return { status: ours?.isDecided ? 'refunded' : 'pending', ref };
};

/**
 * Takes a reversal as news of a refund that we requested. False if it is none, or was decided before. A refund that
 * carries our id but is not the one we know has refunded the money again, and is not ours.
 */
export async function bookOwnRefund(tx: Tx, deps: PaymentDeps, topUp: TopUpRow, told: Reversal): Promise<boolean> {
  const refund = told.ours ? await findRefund(tx, told.ours.refundId) : null;
  if (!refund?.isOpen || refund.topUpId !== topUp.id || (refund.ref ?? told.ref) !== told.ref) return false;
  await bookRefund(tx, deps, topUp, refund, outcomeOf(told));
  return true;
}

/** Books an outcome in a transaction that holds the ledger lock, so that nobody else changes the refund. */
export async function bookRefund(
  tx: Tx,
  { clock, log }: PaymentDeps,
  { correlationId }: TopUpRow,
  refund: RefundRow,
  outcome: Refund,
): Promise<void> {
  const { id, ownerId, amount } = refund;
  if (outcome.status === 'pending') await noteRefundRef(tx, id, outcome.ref);
  if (outcome.status === 'refunded') await closeRefund(tx, id, outcome.ref);
  if (outcome.status !== 'failed') return;
  const at = clock.now();
  log.warn({ refundId: id, said: outcome.reason }, 'the refund of a top-up failed; its credits are back in the pool');
  await failRefund(tx, id, outcome.ref, outcome.reason, at);
  const pool: Account = { holder: ownerId, kind: 'pool_available' };
  await transfer(tx, [{ subject: id, cause: 'top_up_reinstated', from: clearing, to: pool, amount, at }]);
  const data = { kind: 'refund', amount, refundId: toId('refund', id) };
  await appendEvent(tx, { type: 'pool.top_up_reinstated', district: 'vault', at, correlationId, ownerId, data });
  await collectOwed(tx, clock, ownerId, correlationId);
}
