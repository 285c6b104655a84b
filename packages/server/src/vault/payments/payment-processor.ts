import type { Charge, PayIn, Reversal } from './pay-in.ts';
import type { PayOut } from './pay-out.ts';

/** What the processor's books say of a charge, for reconciliation with ours. */
export interface ChargeRecord {
  ref: string;
  /** Null where the charge is not one of ours. */
  intentId: string | null;
  amountCents: number;
  at: Date;
}

/** Money that went back to a cardholder, or that did and came back. */
export interface ReversalRecord extends Reversal {
  chargeRef: string;
  at: Date;
}

export interface PayoutRecord {
  ref: string;
  /** Null where the payout is not one of ours. */
  intentId: string | null;
  accountRef: string;
  /** What the platform has given for it in the end. */
  amountCents: number;
  status: 'in_transit' | 'paid' | 'failed';
  at: Date;
}

/** The processor's books since a time, in any order; charges and payouts that never moved money are left out. */
export interface ProcessorRecords {
  /** What was before is not in its books, whether it happened or not; left out where they go back for ever. */
  readonly booksBegin?: Date;
  listCharges(since: Date, signal: AbortSignal): AsyncIterable<ChargeRecord>;
  listReversals(since: Date, signal: AbortSignal): AsyncIterable<ReversalRecord>;
  listPayouts(since: Date, signal: AbortSignal): AsyncIterable<PayoutRecord>;
}

/**
 * What the processor tells by webhook. Deliveries come late, twice and out of order, so an event says only what is
 * true for good, or names what to ask about.
 */
export type ProcessorEvent = { id: string } & (
  | { type: 'charge.decided'; intentId: string; charge: Charge }
  /** Money of a charge went back, or came back; `readCharge` says how much. */
  | { type: 'charge.reversed'; chargeRef: string }
  | { type: 'method.detached'; paymentMethodId: string }
  /** `lookUpPayout` says what became of it; the intent is null where the payout is not one of ours. */
  | { type: 'payout.changed'; intentId: string | null; accountRef: string; payoutRef: string }
  /** `accountStatus` says how it stands. */
  | { type: 'account.changed'; accountRef: string }
  /** Nothing that we act on. */
  | { type: 'other'; name: string }
);

/** Events about payouts and the accounts they go to. */
export type PayoutEvent = Extract<ProcessorEvent, { type: 'payout.changed' | 'account.changed' }>;

/** `not_configured`: the secret that signatures are checked with is not set. */
export type WebhookCheck =
  | { status: 'verified'; event: ProcessorEvent }
  | { status: 'refused'; reason: string }
  | { status: 'not_configured' };

export interface WebhookDelivery {
  /** The body as it came, byte for byte: it is what was signed. */
  rawBody: string;
  headers: Record<string, string | string[] | undefined>;
  /** When it arrived; a signature that is too old is refused. */
  at: Date;
}

/**
 * Who moves real money. A decision of the processor is a value; a rejected promise means that nobody knows what it
 * did, and a look-up has to find out. All calls give up when the signal aborts.
 */
export interface PaymentProcessor extends PayIn, PayOut, ProcessorRecords {
  readonly name: string;
  verifyWebhook(delivery: WebhookDelivery): WebhookCheck;
}
