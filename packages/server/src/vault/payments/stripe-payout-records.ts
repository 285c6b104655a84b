import type Stripe from 'stripe';
import type { PayoutRecord, ProcessorRecords } from './payment-processor.ts';
import { type AskStripe, fromSeconds, idOf, intentIdOf, toSeconds } from './stripe-client.ts';
import { hasFailed, isGone, netOf } from './stripe-payouts.ts';

async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of pages) found.push(one);
  return found;
}

/** Payouts of an account since a time; unknown for an account that is gone. */
const payoutsOf = (ask: AskStripe, query: Stripe.PayoutListParams, account: string, signal: AbortSignal) =>
  ask(signal, (stripe) =>
    all(stripe.payouts.list(query, { stripeAccount: account })).catch((error) => {
      if (isGone(error)) return [];
      throw error;
    }),
  );

/**
 * Stripe's books of payouts: every transfer of ours, with its payout. A payout that is at the bank or on its way counts
 * as paid, with what the platform finally gave. Any other does not once the platform has the money back.
 */
async function* listPayouts(ask: AskStripe, since: Date, signal: AbortSignal): AsyncGenerator<PayoutRecord> {
  const query = { created: { gte: toSeconds(since) }, limit: 100 };
  const transfers = await ask(signal, (stripe) => all(stripe.transfers.list(query)));
  const accounts = new Map<string, Stripe.Transfer[]>();
  for (const transfer of transfers) {
    const account = idOf(transfer.destination);
    if (account !== null) accounts.set(account, [...(accounts.get(account) ?? []), transfer]);
  }
  for (const [accountRef, sent] of accounts) {
    const payouts = await payoutsOf(ask, query, accountRef, signal);
    const made = new Map(payouts.map((payout) => [intentIdOf(payout.metadata), payout]));
    for (const transfer of sent) {
      const intentId = intentIdOf(transfer.metadata);
      const payout = intentId === null ? undefined : made.get(intentId);
      const isOut = payout !== undefined && !hasFailed(payout);
      yield {
        ref: payout?.id ?? transfer.id,
        intentId,
        accountRef,
        amountCents: isOut ? netOf(transfer) : transfer.amount,
        status: isOut && payout.status === 'paid' ? 'paid' : transfer.reversed && !isOut ? 'failed' : 'in_transit',
        at: fromSeconds(transfer.created),
      };
    }
  }
}

export const stripePayoutRecords = (ask: AskStripe): Pick<ProcessorRecords, 'listPayouts'> => ({
  listPayouts: (since, signal) => listPayouts(ask, since, signal),
});
