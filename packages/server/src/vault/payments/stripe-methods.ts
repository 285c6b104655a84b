import Stripe from 'stripe';
import type { Declined, PayIn, SavedMethod } from './pay-in.ts';
import { declineReason } from './stripe-charges.ts';
import { type AskStripe, isMissing, ofKind } from './stripe-client.ts';

const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;

const declined = (reason: string): Declined => ({ status: 'declined', reason });

/** One customer an owner, also when two requests make it at once. */
async function customerOf(stripe: Stripe, ownerId: string, known: string | null): Promise<string> {
  if (known !== null) return known;
  const customer = await stripe.customers.create(
    { metadata: { agora_owner_id: ownerId } },
    { idempotencyKey: `customer-${ownerId}` },
  );
  return ofKind(customer, 'customer').id;
}

/** A card that was saved in a browser is attached already; one of somebody else is refused. */
async function attach(stripe: Stripe, id: string, customer: string): Promise<Stripe.PaymentMethod | Declined> {
  try {
    return ofKind(await stripe.paymentMethods.attach(id, { customer }), 'payment_method');
  } catch (error) {
    if (error instanceof StripeCardError) return declined(declineReason(error));
    if (isMissing(error, 'payment_method')) return declined('The payment processor has no such card.');
    if (!(error instanceof StripeInvalidRequestError) || isMissing(error, 'customer')) throw error;
  }
  const method = ofKind(await stripe.paymentMethods.retrieve(id), 'payment_method');
  const holder = typeof method.customer === 'object' ? method.customer?.id : method.customer;
  return holder === customer ? method : declined('The card cannot be saved; enter it anew.');
}

function saved(method: Stripe.PaymentMethod, customerRef: string): SavedMethod | Declined {
  const { id, card } = method;
  if (!card) return declined('This payment method is no card.');
  const { brand, last4, exp_month: expMonth, exp_year: expYear } = card;
  return { status: 'saved', customerRef, id, brand, last4, expMonth, expYear };
}

export const stripeMethods = (ask: AskStripe): Pick<PayIn, 'setUpMethod' | 'saveMethod' | 'detachMethod'> => ({
  setUpMethod: ({ ownerId, customerRef }, signal) =>
    ask(signal, async (stripe) => {
      const customer = await customerOf(stripe, ownerId, customerRef);
      const setup = await stripe.setupIntents.create({
        customer,
        usage: 'off_session',
        allowed_payment_method_types: ['card'],
        metadata: { agora_owner_id: ownerId },
      });
      const { client_secret: clientSecret } = ofKind(setup, 'setup_intent');
      if (!clientSecret) throw new Error('Stripe gave no client secret for a setup intent.');
      return { customerRef: customer, clientSecret };
    }),

  saveMethod: ({ ownerId, customerRef, paymentMethodId }, signal) =>
    ask(signal, async (stripe) => {
      const customer = await customerOf(stripe, ownerId, customerRef);
      const method = await attach(stripe, paymentMethodId, customer);
      return 'status' in method ? method : saved(method, customer);
    }),

  detachMethod: ({ paymentMethodId }, signal) =>
    ask(signal, async (stripe) => {
      try {
        await stripe.paymentMethods.detach(paymentMethodId);
      } catch (error) {
        // It is gone, or is nobody's already.
        if (!(error instanceof StripeInvalidRequestError)) throw error;
      }
    }),
});
