import { transaction } from '../../platform/index.ts';
import { callProcessor, type PaymentDeps } from './calls.ts';
import type { PaymentProcessor } from './payment-processor.ts';
import { bookRefund } from './refund-booking.ts';
import { claimDueRefunds, findRefund, type RefundRow } from './refund-sql.ts';
import { bookReversals } from './reversals.ts';
import { findTopUp, type TopUpRow } from './top-up-sql.ts';

const topUpOf = async ({ pool }: PaymentDeps, { id, topUpId }: RefundRow): Promise<TopUpRow> => {
  const topUp = await findTopUp(pool, topUpId);
  if (!topUp) throw new Error(`the refund ${id} is of no top-up`);
  return topUp;
};

/** Asks for the money to be given back, and books the answer: the same id never gives back twice. */
export async function giveBack(deps: PaymentDeps, processor: PaymentProcessor, refund: RefundRow): Promise<void> {
  const { id: refundId, chargeRef, amount: amountCents } = refund;
  const outcome = await callProcessor(deps, (signal) => processor.refund({ refundId, chargeRef, amountCents }, signal));
  const topUp = await topUpOf(deps, refund);
  await transaction(deps.pool, 'ledger', async (tx) => {
    const known = await findRefund(tx, refundId);
    if (known?.isOpen) await bookRefund(tx, deps, topUp, known, outcome);
  });
}

/**
 * Asks how the charge stands, and books all that went back of it. A refund that the processor never heard of is sent
 * again rather than given up: the first request may still be on its way, and only under the same id the two are one.
 */
export async function inquire(deps: PaymentDeps, processor: PaymentProcessor, refund: RefundRow): Promise<void> {
  const { chargeRef } = refund;
  const charge = await callProcessor(deps, (signal) => processor.readCharge({ chargeRef }, signal));
  const reversals = charge?.reversals ?? [];
  await bookReversals(deps, await topUpOf(deps, refund), reversals);
  if (!reversals.some(({ ours }) => ours?.refundId === refund.id)) await giveBack(deps, processor, refund);
}

/** Asked about at once; what cannot be settled is put off. */
const sweepBatch = 10;

/**
 * Settles refunds whose request died, lost the reply, or got one that was not yet the end. Safe to run at any moment and
 * in several processes; ends early where the processor answers nothing.
 */
export async function settleDueRefunds(deps: PaymentDeps): Promise<void> {
  const { processor, pool, clock } = deps;
  if (!processor) return;
  for (;;) {
    const batch = await claimDueRefunds(pool, processor.name, clock.now(), sweepBatch);
    const answered = await Promise.all(batch.map((refund) => inquireOne(deps, processor, refund)));
    if (batch.length < sweepBatch || !answered.includes(true)) return;
  }
}

/** One that cannot be settled must not keep the others waiting. */
async function inquireOne(deps: PaymentDeps, processor: PaymentProcessor, refund: RefundRow): Promise<boolean> {
  try {
    await inquire(deps, processor, refund);
    return true;
  } catch (error) {
    deps.log.warn({ err: error, refundId: refund.id }, 'a refund could not be settled');
    return false;
  }
}
