import Stripe from 'stripe';
import type { Charge, ChargeRequest, ChargeState, PayIn, Refund, Reversal } from './pay-in.ts';
import {
  type AskStripe,
  fromSeconds,
  idOf,
  intentIdOf,
  isMissing,
  ofKind,
  ofRequest,
  toSeconds,
} from './stripe-client.ts';

const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;

/** Codes that a cardholder can do something about; others get the last sentence. */
const declineReasons: Record<string, string> = {
  authentication_required: 'The bank wants the cardholder to confirm the card. Save it again through the setup flow.',
  insufficient_funds: 'The card has insufficient funds.',
  expired_card: 'The card has expired.',
  incorrect_cvc: 'The security code of the card is wrong.',
  incorrect_number: 'The card number is wrong.',
  card_velocity_exceeded: 'The card is over its limit.',
  withdrawal_count_limit_exceeded: 'The card is over its limit.',
  card_not_supported: 'The card does not accept this kind of payment.',
  currency_not_supported: 'The card does not accept US dollars.',
  lost_card: 'The bank declined the card.',
  stolen_card: 'The bank declined the card.',
  processing_error: 'The bank could not process the payment. Try again later.',
  try_again_later: 'The bank could not process the payment. Try again later.',
};
const plainDecline = 'The bank declined the card. Ask the bank for the reason, or use another card.';

interface CardRefusal {
  code?: string | undefined;
  decline_code?: string | null | undefined;
}

/** Why a card was refused, in words for its holder. */
export const declineReason = (refusal: CardRefusal | null | undefined): string =>
  declineReasons[refusal?.decline_code ?? ''] ?? declineReasons[refusal?.code ?? ''] ?? plainDecline;

/** When Stripe has the money of a charge, if it was asked for the charge too. */
function availability({ latest_charge: charge }: Stripe.PaymentIntent): { availableAt?: Date } {
  const booked = typeof charge === 'object' ? charge?.balance_transaction : null;
  if (typeof booked !== 'object' || !Number.isInteger(booked?.available_on)) return {};
  return { availableAt: fromSeconds(booked?.available_on as number) };
}

/** The state of our charge by Stripe's payment intent. An unknown status decides nothing. */
export function chargeOf(intent: Stripe.PaymentIntent): Charge {
  switch (intent.status) {
    case 'succeeded':
      return { status: 'succeeded', ref: intent.id, ...availability(intent) };
    case 'requires_payment_method':
      return { status: 'declined', reason: declineReason(intent.last_payment_error) };
    case 'requires_action':
      return { status: 'declined', reason: declineReason({ code: 'authentication_required' }) };
    case 'canceled':
      return { status: 'declined', reason: 'The payment was canceled.' };
    default:
      return { status: 'pending' };
  }
}

/** A refusal that says that nothing was charged; everything else is for the sweep to find out. */
function refusalOf(error: unknown): Charge | null {
  if (error instanceof StripeCardError) return { status: 'declined', reason: declineReason(error) };
  const isGone =
    isMissing(error, 'payment_method') ||
    isMissing(error, 'customer') ||
    (error instanceof StripeInvalidRequestError && error.code === 'payment_method_unexpected_state');
  return isGone
    ? { status: 'declined', reason: 'The payment processor no longer has this card. Save it again.' }
    : null;
}

async function charge(ask: AskStripe, request: ChargeRequest, signal: AbortSignal): Promise<Charge> {
  const { intentId, customerRef, paymentMethodId, amountCents } = request;
  return ask(signal, async (stripe) => {
    try {
      const intent = await stripe.paymentIntents.create(
        {
          amount: amountCents,
          currency: 'usd',
          customer: customerRef,
          payment_method: paymentMethodId,
          allowed_payment_method_types: ['card'],
          off_session: true,
          confirm: true,
          // Nobody is there to act: an intent that waited for somebody could be paid after it was given up.
          error_on_requires_action: true,
          metadata: { agora_intent_id: intentId },
          expand: ['latest_charge.balance_transaction'],
        },
        { idempotencyKey: `top-up-${intentId}` },
      );
      return chargeOf(ofRequest(intent, 'payment_intent', request));
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal) return refusal;
      throw error;
    }
  });
}

/** An hour in which our clock and Stripe's may differ. */
const clockSlackSeconds = 3_600;

/**
 * A customer's list is always current, but Stripe's search may lag by a minute. Both search by metadata, so they find a
 * charge after its idempotency key has expired. The search also finds charges of a customer that the operator has
 * deleted and another has replaced.
 */
async function lookUpCharge(
  ask: AskStripe,
  { intentId, customerRef, madeAt }: Parameters<PayIn['lookUpCharge']>[0],
  signal: AbortSignal,
): Promise<Charge | null> {
  return ask(signal, async (stripe) => {
    const created = { gte: toSeconds(madeAt) - clockSlackSeconds };
    const search = () => stripe.paymentIntents.search({ query: `metadata['agora_intent_id']:'${intentId}'` });
    const ours = async (found: AsyncIterable<Stripe.PaymentIntent>) => {
      const charges: Charge[] = [];
      for await (const intent of found) {
        if (intentIdOf(ofKind(intent, 'payment_intent').metadata) === intentId) charges.push(chargeOf(intent));
      }
      return charges;
    };
    const listed =
      customerRef === null
        ? []
        : await ours(stripe.paymentIntents.list({ customer: customerRef, created, limit: 100 })).catch((error) => {
            if (isMissing(error, 'customer')) return [];
            throw error;
          });
    const outcomes = listed.length > 0 ? listed : await ours(search());
    const byStatus = (status: Charge['status']) => outcomes.find((outcome) => outcome.status === status);
    return byStatus('succeeded') ?? byStatus('pending') ?? byStatus('declined') ?? null;
  });
}

const refundStates: Record<string, Reversal['state']> = {
  succeeded: 'standing',
  pending: 'standing',
  failed: 'undone',
  canceled: 'undone',
};

/** Our charge is returned in any state. Otherwise it would be taken for lost and made again. */
export const reversalOfRefund = ({ id, amount, status, metadata }: Stripe.Refund): Reversal | null => {
  const refundId = intentIdOf(metadata);
  const state = refundStates[status ?? ''];
  const reversal = { ref: id, kind: 'refund', amountCents: amount } as const;
  if (refundId === null) return state ? { ...reversal, state } : null;
  const isDecided = state !== undefined && status !== 'pending';
  return { ...reversal, state: state ?? 'standing', ours: { refundId, isDecided } };
};

/** A warning has taken no money yet; anything else has, until the dispute is won. */
export const reversalOfDispute = ({ id, amount, status }: Stripe.Dispute): Reversal | null =>
  status === 'prevented' || status.startsWith('warning_')
    ? null
    : { ref: id, kind: 'dispute', amountCents: amount, state: status === 'won' ? 'undone' : 'standing' };

/** Ours are in dollars: another charge of the account that names an id of ours is none. */
export const intentIdOfCharge = ({ currency, metadata }: Stripe.PaymentIntent): string | null =>
  currency === 'usd' ? intentIdOf(metadata) : null;

async function readCharge(ask: AskStripe, chargeRef: string, signal: AbortSignal): Promise<ChargeState | null> {
  return ask(signal, async (stripe) => {
    try {
      const intent = ofKind(await stripe.paymentIntents.retrieve(chargeRef), 'payment_intent');
      if (intent.id !== chargeRef) throw new Error(`Stripe answered with another charge than ${chargeRef}.`);
      const reversals: (Reversal | null)[] = [];
      const of = { payment_intent: chargeRef, limit: 100 };
      for await (const refund of stripe.refunds.list(of)) reversals.push(reversalOfRefund(ofKind(refund, 'refund')));
      for await (const dispute of stripe.disputes.list(of)) {
        reversals.push(reversalOfDispute(ofKind(dispute, 'dispute')));
      }
      return {
        intentId: intentIdOfCharge(intent),
        paymentMethodId: idOf(intent.payment_method),
        charge: chargeOf(intent),
        reversals: reversals.filter((reversal) => reversal !== null),
      };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  });
}

async function refund(
  ask: AskStripe,
  { refundId, chargeRef, amountCents }: Parameters<PayIn['refund']>[0],
  signal: AbortSignal,
): Promise<Refund> {
  return ask(signal, async (stripe) => {
    try {
      const made = await stripe.refunds.create(
        { payment_intent: chargeRef, amount: amountCents, metadata: { agora_intent_id: refundId } },
        { idempotencyKey: `refund-${refundId}` },
      );
      const { id, status } = ofRequest(made, 'refund', { intentId: refundId, amountCents });
      if (status === 'succeeded') return { status: 'refunded', ref: id };
      if (status === 'failed' || status === 'canceled') {
        return { status: 'failed', ref: id, reason: 'The refund did not reach the bank of the card.' };
      }
      return { status: 'pending', ref: id };
    } catch (error) {
      if (error instanceof StripeInvalidRequestError) return { status: 'failed', ref: null, reason: error.message };
      throw error;
    }
  });
}

export const stripeCharges = (ask: AskStripe): Pick<PayIn, 'charge' | 'lookUpCharge' | 'readCharge' | 'refund'> => ({
  charge: (request, signal) => charge(ask, request, signal),
  lookUpCharge: (request, signal) => lookUpCharge(ask, request, signal),
  readCharge: ({ chargeRef }, signal) => readCharge(ask, chargeRef, signal),
  refund: (request, signal) => refund(ask, request, signal),
});
