import type Stripe from 'stripe';
import type { FakeRoutes } from './answers.ts';
import { type Books, idOf, seconds } from './books.ts';
import { newCharge, newDispute, newIntent, newRefund } from './payment-objects.ts';
import { type Form, listOf, metadataOf, missing, refused, required, StripeFailure, text } from './wire.ts';

const messages: Record<string, string> = {
  authentication_required: 'Your card was declined. This transaction requires authentication.',
  insufficient_funds: 'Your card has insufficient funds.',
};

function makeIntent(books: Books, form: Form): Stripe.PaymentIntent {
  const customer = required(form, 'customer');
  if (!books.customers.has(customer)) throw missing('customer', customer, 'customer');
  const method = required(form, 'payment_method');
  const known = books.methods.get(method);
  if (!known) throw missing('PaymentMethod', method, 'payment_method');
  if (idOf(known.customer) !== customer) {
    throw refused('The PaymentMethod does not belong to the Customer you supplied.', 'payment_method_unexpected_state');
  }
  const amount = Number(required(form, 'amount'));
  if (amount < 50) throw refused('Amount must be at least $0.50 usd', 'amount_too_small');
  const intent = newIntent(books, { amount, customer, method, metadata: metadataOf(form) });
  books.intents.set(intent.id, intent);
  if (text(form, 'confirm') === 'true') confirm(books, intent, text(form, 'error_on_requires_action') === 'true');
  return intent;
}

/** What the bank says; a refusal is an error, and the intent stays behind and waits for another card. */
function confirm(books: Books, intent: Stripe.PaymentIntent, failOnAction: boolean): void {
  const behaviour = books.behaviours.get(idOf(intent.payment_method) as string) ?? 'accepts';
  if (behaviour === 'takes its time') {
    intent.status = 'processing';
    books.emit('payment_intent.processing', intent);
    return;
  }
  if (behaviour === 'accepts') {
    succeed(books, intent);
    return;
  }
  if (behaviour === 'asks its holder' && !failOnAction) {
    intent.status = 'requires_action';
    books.emit('payment_intent.requires_action', intent);
    return;
  }
  const code = typeof behaviour === 'object' ? behaviour.declines : 'authentication_required';
  throw decline(books, intent, code);
}

/** The card is refused: an event, and the error that a request would end with. */
export function decline(books: Books, intent: Stripe.PaymentIntent, declineCode: string): StripeFailure {
  const error = {
    type: 'card_error' as const,
    code: declineCode === 'authentication_required' ? declineCode : 'card_declined',
    decline_code: declineCode,
    message: messages[declineCode] ?? 'Your card was declined.',
  };
  intent.status = 'requires_payment_method';
  intent.last_payment_error = error as Stripe.PaymentIntent.LastPaymentError;
  books.emit('payment_intent.payment_failed', intent);
  return new StripeFailure(402, { ...error, payment_intent: intent });
}

export function succeed(books: Books, intent: Stripe.PaymentIntent): void {
  const charge = newCharge(books, intent);
  books.charges.set(charge.id, charge);
  Object.assign(intent, { status: 'succeeded', amount_received: intent.amount, latest_charge: charge.id });
  books.emit('charge.succeeded', charge);
  books.emit('payment_intent.succeeded', intent);
}

export function cancel(books: Books, intent: Stripe.PaymentIntent): void {
  Object.assign(intent, { status: 'canceled', canceled_at: seconds(books.now()), cancellation_reason: 'abandoned' });
  books.emit('payment_intent.canceled', intent);
}

/** A refund, as the API or the operator in the dashboard makes it. */
export function refund(books: Books, intentId: string, amount?: number, metadata: Stripe.Metadata = {}): Stripe.Refund {
  const intent = books.intents.get(intentId);
  const charge = intent && books.charges.get(idOf(intent.latest_charge) ?? '');
  if (!intent || !charge) throw missing('payment_intent', intentId, 'payment_intent');
  const sum = amount ?? charge.amount - charge.amount_refunded;
  if (charge.amount_refunded + sum > charge.amount) throw refused('Refund amount is greater than unrefunded amount');
  const made = newRefund(books, { amount: sum, charge: charge.id, intent: intentId, metadata });
  books.refunds.set(made.id, made);
  if (made.status === 'failed') return made;
  charge.amount_refunded += sum;
  charge.refunded = charge.amount_refunded === charge.amount;
  books.emit('charge.refunded', charge);
  return made;
}

/** The bank has taken a refund that was pending. */
export function takeRefund(books: Books, made: Stripe.Refund): void {
  made.status = 'succeeded';
  books.emit('refund.updated', made);
}

/** The bank sends a refund back: the money is with the platform again. */
export function failRefund(books: Books, made: Stripe.Refund): void {
  made.status = 'failed';
  const charge = books.charges.get(idOf(made.charge) as string) as Stripe.Charge;
  charge.amount_refunded -= made.amount;
  charge.refunded = false;
  books.emit('refund.failed', made);
}

/** The cardholder's bank takes the money back until the dispute is decided. */
export function dispute(books: Books, intentId: string, amount?: number): Stripe.Dispute {
  const intent = books.intents.get(intentId) as Stripe.PaymentIntent;
  const made = newDispute(books, {
    amount: amount ?? intent.amount,
    charge: idOf(intent.latest_charge) as string,
    intent: intentId,
  });
  books.disputes.set(made.id, made);
  books.emit('charge.dispute.created', made);
  return made;
}

export function closeDispute(books: Books, made: Stripe.Dispute, status: 'won' | 'lost'): void {
  made.status = status;
  books.emit('charge.dispute.closed', made);
}

export function paymentRoutes(books: Books): FakeRoutes {
  const intentOf = (id: string): Stripe.PaymentIntent => {
    const intent = books.intents.get(id);
    if (!intent) throw missing('payment_intent', id, 'intent');
    return intent;
  };
  const ofIntent = <T extends { payment_intent: unknown }>(found: Map<string, T>, form: Form): T[] => {
    const wanted = text(form, 'payment_intent');
    return [...found.values()].filter((one) => wanted === undefined || one.payment_intent === wanted);
  };
  return {
    'POST /v1/payment_intents': ({ form }) => makeIntent(books, form),
    'GET /v1/payment_intents': ({ form }) => {
      const customer = text(form, 'customer');
      if (customer !== undefined && !books.customers.has(customer)) throw missing('customer', customer, 'customer');
      const found = [...books.intents.values()].filter((one) => customer === undefined || one.customer === customer);
      return listOf('/v1/payment_intents', found, form);
    },
    'GET /v1/payment_intents/search': ({ form }) => {
      const [, key, value] = /^metadata\['(\w+)'\]:'([\w-]+)'$/.exec(required(form, 'query')) ?? [];
      const data = [...books.intents.values()].filter((one) => one.metadata[key as string] === value);
      return { object: 'search_result', data, has_more: false, next_page: null, url: '/v1/payment_intents/search' };
    },
    'GET /v1/payment_intents/:id': ({ params }) => intentOf(params.id as string),
    'POST /v1/refunds': ({ form }) => {
      const amount = text(form, 'amount');
      const wanted = amount === undefined ? undefined : Number(amount);
      return refund(books, required(form, 'payment_intent'), wanted, metadataOf(form));
    },
    'GET /v1/refunds': ({ form }) => listOf('/v1/refunds', ofIntent(books.refunds, form), form),
    'GET /v1/disputes': ({ form }) => listOf('/v1/disputes', ofIntent(books.disputes, form), form),
  };
}
