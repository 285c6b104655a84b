import Stripe from 'stripe';
import type { Declined, PayIn, SavedMethod } from './pay-in.ts';
import { declineReason } from './stripe-charges.ts';
import { type AskStripe, isMissing, ofKind } from './stripe-client.ts';

const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;

const declined = (reason: string): Declined => ({ status: 'declined', reason });

/** One customer per owner, even if two requests create it at once. A second one only replaces one that is gone. */
async function newCustomer(stripe: Stripe, ownerId: string, gone: string | null): Promise<string> {
  const customer = await stripe.customers.create(
    { metadata: { agora_owner_id: ownerId } },
    { idempotencyKey: gone === null ? `customer-${ownerId}` : `customer-${ownerId}-after-${gone}` },
  );
  return ofKind(customer, 'customer').id;
}

/** Does something for the owner's customer; where the operator has deleted that, for a new one. */
async function forCustomer<R>(
  stripe: Stripe,
  { ownerId, customerRef }: { ownerId: string; customerRef: string | null },
  work: (customer: string) => Promise<R>,
): Promise<R> {
  const customer = customerRef ?? (await newCustomer(stripe, ownerId, null));
  try {
    return await work(customer);
  } catch (error) {
    if (!isMissing(error, 'customer')) throw error;
    return work(await newCustomer(stripe, ownerId, customer));
  }
}

const holderOf = ({ customer }: Stripe.PaymentMethod): string | null =>
  typeof customer === 'object' ? (customer?.id ?? null) : customer;

/** A card that was saved in a browser is attached already; one of somebody else is refused. */
async function attach(stripe: Stripe, id: string, customer: string): Promise<Stripe.PaymentMethod | Declined> {
  try {
    const method = ofKind(await stripe.paymentMethods.attach(id, { customer }), 'payment_method');
    if (holderOf(method) !== customer) throw new Error(`Stripe attached ${id} to somebody else than ${customer}.`);
    return method;
  } catch (error) {
    if (error instanceof StripeCardError) return declined(declineReason(error));
    if (isMissing(error, 'payment_method')) return declined('The payment processor has no such card.');
    if (!(error instanceof StripeInvalidRequestError) || isMissing(error, 'customer')) throw error;
  }
  const method = ofKind(await stripe.paymentMethods.retrieve(id), 'payment_method');
  return holderOf(method) === customer ? method : declined('The card cannot be saved; enter it anew.');
}

function saved(method: Stripe.PaymentMethod, customerRef: string): SavedMethod | Declined {
  const { id, card } = method;
  if (!card) return declined('This payment method is no card.');
  const { brand, last4, exp_month: expMonth, exp_year: expYear } = card;
  return { status: 'saved', customerRef, id, brand, last4, expMonth, expYear };
}

export const stripeMethods = (ask: AskStripe): Pick<PayIn, 'setUpMethod' | 'saveMethod' | 'detachMethod'> => ({
  setUpMethod: (request, signal) =>
    ask(signal, (stripe) =>
      forCustomer(stripe, request, async (customer) => {
        const setup = await stripe.setupIntents.create({
          customer,
          usage: 'off_session',
          allowed_payment_method_types: ['card'],
          metadata: { agora_owner_id: request.ownerId },
        });
        const { client_secret: clientSecret } = ofKind(setup, 'setup_intent');
        if (typeof clientSecret !== 'string') throw new Error('Stripe gave no client secret for a setup intent.');
        return { customerRef: customer, clientSecret };
      }),
    ),

  saveMethod: (request, signal) =>
    ask(signal, (stripe) =>
      forCustomer(stripe, request, async (customer) => {
        const method = await attach(stripe, request.paymentMethodId, customer);
        return 'status' in method ? method : saved(method, customer);
      }),
    ),

  detachMethod: ({ paymentMethodId }, signal) =>
    ask(signal, async (stripe) => {
      try {
        ofKind(await stripe.paymentMethods.detach(paymentMethodId), 'payment_method');
      } catch (error) {
        // It is gone, or is nobody's already.
        if (!(error instanceof StripeInvalidRequestError)) throw error;
      }
    }),
});
