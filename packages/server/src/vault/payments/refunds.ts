import { type BodyOf, type Operations, type ReplyOf, toId, toUuid } from '@agora-market/contract';
import { validate } from 'uuid';
import { appendEvent } from '../../events/index.ts';
import { ApiError, type Claim, ensure, newUuid, transaction } from '../../platform/index.ts';
import { platformHolder, transfer } from '../ledger/transfer.ts';
import { spentBeforeTime } from '../payouts/payout-hold.ts';
import { readPool } from '../sql.ts';
import { type PaymentDeps, requireProcessor } from './calls.ts';
import type { PaymentProcessor } from './payment-processor.ts';
import { giveBack, inquire } from './refund-settle.ts';
import { findRefund, findRefundable, insertRefund, type RefundRow, wouldReload } from './refund-sql.ts';

type RefundTopUp = Operations['vault.refundTopUp'];

/** The operator's request; the top-up is named by its transaction id or its UUID. */
export interface AskedRefund extends BodyOf<RefundTopUp> {
  topUpId: string;
  claim?: Claim | undefined;
}

/** Before this time an intent belongs to the request that wrote it, which gives up on the processor sooner. */
const sweepAfterMs = 60_000;

const owing = 'Money of this owner went back to a card before that the pool could not pay; settle that first.';
const reloading =
  "The owner's auto-top-up would charge the card again for what it is given back; the owner turns it off first.";

/**
 * The intent is committed together with the transfer out of the pool, before the processor is called. A request
 * repeated under its `Idempotency-Key` finds the intent it wrote the first time, and so never gives back twice.
 */
export async function refundTopUp(deps: PaymentDeps, asked: AskedRefund): Promise<ReplyOf<RefundTopUp>> {
  const processor = requireProcessor(deps);
  const topUpId = validate(asked.topUpId) ? asked.topUpId.toLowerCase() : toUuid('transaction', asked.topUpId);
  ensure(topUpId, 'TOP_UP_NOT_FOUND');
  const id = asked.claim?.subject ?? newUuid(deps.clock);
  const repeated = asked.claim ? await findRefund(deps.pool, id) : null;
  const intent = repeated ?? (await writeIntent(deps, processor, { ...asked, id, topUpId }));
  ensure(intent.topUpId === topUpId, 'IDEMPOTENCY_KEY_REUSED');
  // The processor may have forgotten the idempotency key of an older intent.
  if (repeated?.isOpen) await attempt(intent, inquire(deps, processor, intent));
  else if (!repeated) await attempt(intent, giveBack(deps, processor, intent));
  const { amount, state, isOpen, failure } = (await findRefund(deps.pool, id)) ?? intent;
  const refundId = toId('refund', id);
  if (state === 'undone') throw new ApiError('REFUND_REFUSED', undefined, { refundId, reason: failure });
  return {
    id: refundId,
    topUpId: toId('transaction', topUpId),
    amount,
    currency: 'USD',
    status: isOpen ? 'pending' : 'succeeded',
    newBalance: (await readPool(deps.pool, intent.ownerId)).balance,
  };
}

/** If the call fails, nobody knows what was refunded: the refund stays open and the sweep finds out. */
async function attempt({ id }: RefundRow, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'PROCESSOR_ERROR') throw error;
    const message =
      'The payment processor did not answer. The refund is pending: it will be carried out or returned exactly once.';
    throw new ApiError(error.code, message, { refundId: toId('refund', id) }, { cause: error.cause });
  }
}

function writeIntent(
  deps: PaymentDeps,
  processor: PaymentProcessor,
  { id, topUpId, reason, by, amount: wanted }: AskedRefund & { id: string },
): Promise<RefundRow> {
  const at = deps.clock.now();
  const dueAt = new Date(at.getTime() + sweepAfterMs);
  return transaction(deps.pool, 'ledger', async (tx) => {
    // Whoever took over the request of a process that died may have come first.
    const made = await findRefund(tx, id);
    if (made) return made;
    const topUp = await findRefundable(tx, topUpId);
    ensure(topUp, 'TOP_UP_NOT_FOUND');
    const { ownerId, status, left, correlationId } = topUp;
    ensure(status === 'succeeded', 'TOP_UP_NOT_PAID');
    ensure(!topUp.hasOpenRefund, 'REFUND_IN_PROGRESS');
    const amount = wanted ?? left;
    const fits = amount > 0 && amount <= left;
    ensure(fits, 'REFUND_EXCEEDS_TOP_UP', undefined, { required: amount, available: Math.max(left, 0) });
    const { spendable, owed } = await readPool(tx, ownerId);
    const available = Math.max(0, spendable - (await spentBeforeTime(tx, ownerId, at)));
    ensure(owed === 0, 'WRONG_STATE', owing, { owed });
    ensure(available >= amount, 'INSUFFICIENT_BALANCE', undefined, { required: amount, available });
    ensure(!(await wouldReload(tx, ownerId, available - amount)), 'WRONG_STATE', reloading);
    await insertRefund(tx, { id, topUpId, ownerId, amount, processor: processor.name, reason, by, at, dueAt });
    const from = { holder: ownerId, kind: 'pool_available' } as const;
    const to = { holder: platformHolder, kind: 'processor_clearing' } as const;
    await transfer(tx, [{ subject: id, cause: 'top_up_refunded', from, to, amount, at }]);
    const data = { kind: 'refund', amount, taken: amount, missing: 0, refundId: toId('refund', id), by, reason };
    await appendEvent(tx, { type: 'pool.top_up_refunded', district: 'vault', at, correlationId, ownerId, data });
    return (await findRefund(tx, id)) as RefundRow;
  });
}
