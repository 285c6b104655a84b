import Stripe from 'stripe';
import type { Declined, PayIn, SavedMethod } from './pay-in.ts';
import { declineReason } from './stripe-charges.ts';
import { type AskStripe, fromSeconds, isMissing, ofKind } from './stripe-client.ts';

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

/** Ids of Stripe's pages begin so. */
const pagePrefix = 'cs_';

/** Stripe puts the id of the page where this stands; it must stand there as it is, not percent-encoded. */
const pageId = '{CHECKOUT_SESSION_ID}';

function backWithCard(returnUrl: string): string {
  const back = new URL(returnUrl);
  back.hash = '';
  back.searchParams.delete('paymentMethodId');
  return `${back}${back.search === '' ? '?' : '&'}paymentMethodId=${pageId}`;
}

/** The card that was entered on a page of ours. */
async function cardOfPage(stripe: Stripe, id: string, customer: string): Promise<Stripe.PaymentMethod | Declined> {
  let page: Stripe.Checkout.Session;
  try {
    page = ofKind(
      await stripe.checkout.sessions.retrieve(id, { expand: ['setup_intent.payment_method'] }),
      'checkout.session',
    );
  } catch (error) {
    if (isMissing(error)) return declined('The payment processor has no such card.');
    throw error;
  }
  const { setup_intent: setup } = page;
  const method = typeof setup === 'object' ? setup?.payment_method : null;
  if (typeof method !== 'object' || !method) return declined('No card was entered on that page. Enter it anew.');
  const isOwn = holderOf(ofKind(method, 'payment_method')) === customer;
  return isOwn ? method : declined('The card cannot be saved; enter it anew.');
}

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
  const fingerprint = card.fingerprint ?? id;
  return { status: 'saved', customerRef, id, brand, last4, expMonth, expYear, fingerprint };
}

type Methods = Pick<PayIn, 'setUpMethod' | 'openMethodPage' | 'saveMethod' | 'detachMethod'>;

export const stripeMethods = (ask: AskStripe): Methods => ({
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

  openMethodPage: (request, signal) =>
    ask(signal, (stripe) =>
      forCustomer(stripe, request, async (customer) => {
        const page = await stripe.checkout.sessions.create({
          mode: 'setup',
          customer,
          allowed_payment_method_types: ['card'],
          success_url: backWithCard(request.returnUrl),
          cancel_url: request.returnUrl,
        });
        const { url, expires_at } = ofKind(page, 'checkout.session');
        const isPage = typeof url === 'string' && Number.isInteger(expires_at);
        if (!isPage) throw new Error('Stripe gave no page for a card.');
        return { customerRef: customer, url, expiresAt: fromSeconds(expires_at) };
      }),
    ),

  saveMethod: (request, signal) =>
    ask(signal, (stripe) =>
      forCustomer(stripe, request, async (customer) => {
        const { paymentMethodId: id } = request;
        const find = id.startsWith(pagePrefix) ? cardOfPage : attach;
        const method = await find(stripe, id, customer);
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
