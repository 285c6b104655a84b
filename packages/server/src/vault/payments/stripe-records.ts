import type Stripe from 'stripe';
import type { Reversal } from './pay-in.ts';
import type { ProcessorRecords, ReversalRecord } from './payment-processor.ts';
import { intentIdOfCharge, reversalOfDispute, reversalOfRefund } from './stripe-charges.ts';
import { type AskStripe, fromSeconds, idOf, ofKind, toSeconds } from './stripe-client.ts';

interface Listed {
  id: string;
  created: number;
}

/** All pages of a list; each is a call of its own, so that the signal bounds them one by one. */
async function* pages<T extends Listed>(
  ask: AskStripe,
  signal: AbortSignal,
  list: (stripe: Stripe, after: { starting_after?: string }) => PromiseLike<Stripe.ApiList<T>>,
): AsyncGenerator<T> {
  for (let after = {}; ; ) {
    const page = await ask(signal, async (stripe) => list(stripe, after));
    yield* page.data;
    const last = page.data.at(-1);
    if (!page.has_more || !last) return;
    after = { starting_after: last.id };
  }
}

const recordOf = (
  reversal: Reversal | null,
  { payment_intent, created }: Stripe.Refund | Stripe.Dispute,
): ReversalRecord | null => {
  const chargeRef = idOf(payment_intent);
  return reversal && chargeRef !== null ? { ...reversal, chargeRef, at: fromSeconds(created) } : null;
};

/** Stripe's books of charges and their reversals. */
export const stripeRecords = (ask: AskStripe): Pick<ProcessorRecords, 'listCharges' | 'listReversals'> => ({
  async *listCharges(since, signal) {
    const query = { created: { gte: toSeconds(since) }, limit: 100 };
    const intents = pages(ask, signal, (stripe, after) => stripe.paymentIntents.list({ ...query, ...after }));
    for await (const intent of intents) {
      const { id, status, amount_received, customer, created } = ofKind(intent, 'payment_intent');
      if (status !== 'succeeded') continue;
      const ours = { intentId: intentIdOfCharge(intent), customerRef: idOf(customer) };
      yield { ref: id, ...ours, amountCents: amount_received, at: fromSeconds(created) };
    }
  },

  async *listReversals(since, signal) {
    const query = { created: { gte: toSeconds(since) }, limit: 100 };
    for await (const refund of pages(ask, signal, (stripe, after) => stripe.refunds.list({ ...query, ...after }))) {
      const record = recordOf(reversalOfRefund(refund), refund);
      if (record) yield record;
    }
    for await (const dispute of pages(ask, signal, (stripe, after) => stripe.disputes.list({ ...query, ...after }))) {
      const record = recordOf(reversalOfDispute(dispute), dispute);
      if (record) yield record;
    }
  },
});
