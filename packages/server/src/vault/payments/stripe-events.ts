import Stripe from 'stripe';
import type { ProcessorEvent, WebhookCheck, WebhookDelivery } from './payment-processor.ts';
import { chargeOf } from './stripe-charges.ts';
import { idOf, intentIdOf } from './stripe-client.ts';

/** A signature is good for five minutes, as Stripe advises. */
const toleranceSeconds = 300;

/** Checks that a delivery is recent and signed by Stripe, and translates it. */
export function verifyStripeWebhook(
  webhookSecret: string | null,
  { rawBody, headers, at }: WebhookDelivery,
): WebhookCheck {
  if (webhookSecret === null) return { status: 'not_configured' };
  const signature = headers['stripe-signature'];
  if (typeof signature !== 'string') return { status: 'refused', reason: 'The Stripe-Signature header is missing.' };
  // The SDK refuses old signatures but accepts any future time.
  const signedAt = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1]);
  if (signedAt > at.getTime() / 1000 + toleranceSeconds) return refusedFor('its time is in the future');
  let event: Stripe.Event;
  try {
    event = Stripe.webhooks.constructEvent(
      rawBody,
      signature,
      webhookSecret,
      toleranceSeconds,
      undefined,
      at.getTime(),
    );
  } catch {
    // A stranger can cause every error thrown here.
    return refusedFor('it does not match the body, or is too old');
  }
  return { status: 'verified', event: { id: event.id, ...newsOf(event) } };
}

const refusedFor = (reason: string): WebhookCheck => ({
  status: 'refused',
  reason: `The signature is not accepted: ${reason}.`,
});

type News = ProcessorEvent extends infer E ? (E extends ProcessorEvent ? Omit<E, 'id'> : never) : never;

function newsOf(event: Stripe.Event): News {
  const other: News = { type: 'other', name: event.type };
  if (event.account !== undefined) return accountNews(event, event.account) ?? other;
  switch (event.type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled': {
      const intent = event.data.object;
      const intentId = intentIdOf(intent.metadata);
      return intentId === null ? other : { type: 'charge.decided', intentId, charge: chargeOf(intent) };
    }
    case 'charge.refunded':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated': {
      const chargeRef = idOf(event.data.object.payment_intent);
      return chargeRef === null ? other : { type: 'charge.reversed', chargeRef };
    }
    case 'payment_method.detached':
      return { type: 'method.detached', paymentMethodId: event.data.object.id };
    case 'transfer.reversed': {
      const { id, metadata, destination } = event.data.object;
      const accountRef = idOf(destination);
      const intentId = intentIdOf(metadata);
      return accountRef === null ? other : { type: 'payout.changed', intentId, accountRef, payoutRef: id };
    }
    default:
      return other;
  }
}

/**
 * News of a connected account. Its owner may charge cards there with any metadata, so nothing there counts as a charge
 * of ours. Payouts of the platform itself have no account.
 */
function accountNews(event: Stripe.Event, accountRef: string): News | null {
  switch (event.type) {
    case 'account.updated':
      return { type: 'account.changed', accountRef };
    case 'payout.canceled':
    case 'payout.created':
    case 'payout.failed':
    case 'payout.paid':
    case 'payout.updated': {
      const { id, metadata } = event.data.object;
      return { type: 'payout.changed', intentId: intentIdOf(metadata), accountRef, payoutRef: id };
    }
    default:
      return null;
  }
}
