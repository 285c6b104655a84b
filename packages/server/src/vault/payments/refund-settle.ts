import { transaction } from '../../platform/index.ts';
import { callProcessor, type PaymentDeps, within } from './calls.ts';
import type { Reversal } from './pay-in.ts';
import type { PaymentProcessor } from './payment-processor.ts';
import { bookRefund } from './refund-booking.ts';
import { claimDueRefunds, findOpenRefund, findRefund, type RefundRow } from './refund-sql.ts';
import { bookReversals } from './reversals.ts';
import { settleDue } from './settle-due.ts';
import { findTopUp, type TopUpRow } from './top-up-sql.ts';

/** An inquiry calls the processor twice; its caller waits at most 15 s. */
const halfMs = 7_000;

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
 * Books the reversals of a charge, our own refund first: if it fails, its credits are back in the pool before the
 * others are taken. A refund that the processor never received is sent again and not given up. The first request may
 * still be on its way, and only one id makes the two one refund.
 */
export async function bookCharge(
  deps: PaymentDeps,
  processor: PaymentProcessor,
  topUp: TopUpRow,
  reversals: Reversal[],
): Promise<void> {
  const open = await findOpenRefund(deps.pool, topUp.id);
  const isOpenOne = ({ ours }: Reversal) => open !== null && ours?.refundId === open.id;
  if (open && !reversals.some(isOpenOne)) await giveBack(within(deps, halfMs), processor, open);
  await bookReversals(deps, topUp, [...reversals.filter(isOpenOne), ...reversals.filter((each) => !isOpenOne(each))]);
}

/** Asks for the state of the charge and books it. */
export async function inquire(deps: PaymentDeps, processor: PaymentProcessor, refund: RefundRow): Promise<void> {
  const { chargeRef } = refund;
  const timed = within(deps, halfMs);
  const charge = await callProcessor(timed, (signal) => processor.readCharge({ chargeRef }, signal));
  await bookCharge(deps, processor, await topUpOf(deps, refund), charge?.reversals ?? []);
}

/** Settles refunds that are undecided here; returns how many the processor answered. */
export const settleDueRefunds = (deps: PaymentDeps) =>
  settleDue(deps, {
    what: 'refund',
    claim: ({ name }, now, limit) => claimDueRefunds(deps.pool, name, now, limit),
    settle: (processor, refund) => inquire(deps, processor, refund),
  });
