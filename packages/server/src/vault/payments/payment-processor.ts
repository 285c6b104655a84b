import type { Charge, PayIn, Reversal } from './pay-in.ts';
import type { PayOut } from './pay-out.ts';

/** The processor's record of a charge, for reconciliation with ours. */
export interface ChargeRecord {
  ref: string;
  /** Null if the charge is not one of ours. */
  intentId: string | null;
  customerRef: string | null;
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
  /** Null if the payout is not one of ours. */
  intentId: string | null;
  accountRef: string;
  /** What the platform finally gave. */
  amountCents: number;
  status: 'in_transit' | 'paid' | 'failed';
  at: Date;
}

/** The processor's books since a time, in any order; charges and payouts that never moved money are left out. */
export interface ProcessorRecords {
  /** Its books begin at this time. Missing if they go back for ever. */
  readonly booksBegin?: Date;
  listCharges(since: Date, signal: AbortSignal): AsyncIterable<ChargeRecord>;
  listReversals(since: Date, signal: AbortSignal): AsyncIterable<ReversalRecord>;
  listPayouts(since: Date, signal: AbortSignal): AsyncIterable<PayoutRecord>;
}

/**
 * An event of the processor's webhook. Deliveries may be late, repeated and out of order. So an event states only
 * permanent facts, or names what to ask about.
 */
export type ProcessorEvent = { id: string } & (
  | { type: 'charge.decided'; intentId: string; charge: Charge }
  /** Money of a charge went back, or came back; `readCharge` says how much. */
  | { type: 'charge.reversed'; chargeRef: string }
  | { type: 'method.detached'; paymentMethodId: string }
  /** Ask with `lookUpPayout`. The intent is null if the payout is not ours. */
  | { type: 'payout.changed'; intentId: string | null; accountRef: string; payoutRef: string }
  /** Ask with `accountStatus`. */
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
  /** The body byte for byte, because the signature covers it. */
  rawBody: string;
  headers: Record<string, string | string[] | undefined>;
  /** When it arrived; a signature that is too old is refused. */
  at: Date;
}

/**
 * Moves real money. A decision of the processor is a value. A rejected promise means that its effect is unknown and
 * must be looked up. All calls end when the signal aborts.
 */
export interface PaymentProcessor extends PayIn, PayOut, ProcessorRecords {
  readonly name: string;
  verifyWebhook(delivery: WebhookDelivery): WebhookCheck;
}
