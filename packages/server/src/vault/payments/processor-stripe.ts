import type { PaymentProcessor } from './payment-processor.ts';
import { stripeCharges } from './stripe-charges.ts';
import { createStripeClient, type StripeOptions } from './stripe-client.ts';
import { verifyStripeWebhook } from './stripe-events.ts';
import { stripeMethods } from './stripe-methods.ts';
import { stripePayoutRecords } from './stripe-payout-records.ts';
import { stripePayouts } from './stripe-payouts.ts';
import { stripeRecords } from './stripe-records.ts';

/** Moves real money, through Stripe. */
export function createStripeProcessor(options: StripeOptions): PaymentProcessor {
  const ask = createStripeClient(options);
  return {
    name: 'stripe',
    ...stripeMethods(ask),
    ...stripeCharges(ask),
    ...stripePayouts(ask),
    ...stripeRecords(ask),
    ...stripePayoutRecords(ask),
    verifyWebhook: (delivery) => verifyStripeWebhook(options.webhookSecret, delivery),
  };
}
