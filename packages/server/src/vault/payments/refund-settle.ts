import { transaction } from '../../platform/index.ts';
import { callProcessor, type PaymentDeps, within } from './calls.ts';
import type { Reversal } from './pay-in.ts';
import type { PaymentProcessor } from './payment-processor.ts';
import { bookRefund } from './refund-booking.ts';
import { claimDueRefunds, findOpenRefund, findRefund, type RefundRow } from './refund-sql.ts';
import { bookReversals } from './reversals.ts';
import { settleDue } from './settle-due.ts';
import { findTopUp, type TopUpRow } from './top-up-sql.ts';

/** An inquiry calls the processor twice, and who waits for it waits no longer than 15 s. */
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
 * Books what went back of a charge, a refund of ours before others: if it fails, its credits are in the pool again when
 * theirs are taken from it. One that the processor never heard of is sent again rather than given up: the first request
 * may still be on its way, and only under the same id the two are one.
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

/** Asks how the charge stands, and books that. */
export async function inquire(deps: PaymentDeps, processor: PaymentProcessor, refund: RefundRow): Promise<void> {
  const { chargeRef } = refund;
  const timed = within(deps, halfMs);
  const charge = await callProcessor(timed, (signal) => processor.readCharge({ chargeRef }, signal));
  await bookCharge(deps, processor, await topUpOf(deps, refund), charge?.reversals ?? []);
}

/** Settles refunds that the processor has not decided, as far as is known here; returns how many it told of. */
export const settleDueRefunds = (deps: PaymentDeps) =>
  settleDue(deps, {
    what: 'refund',
    claim: ({ name }, now, limit) => claimDueRefunds(deps.pool, name, now, limit),
    settle: (processor, refund) => inquire(deps, processor, refund),
  });
