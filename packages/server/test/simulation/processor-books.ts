import type { Charge, ChargeRequest, Refund, Reversal } from '../../src/vault/payments/pay-in.ts';
import type { Payout, PayoutRequest } from '../../src/vault/payments/pay-out.ts';
import type { ProcessorEvent } from '../../src/vault/payments/payment-processor.ts';

export interface SimulatedCharge extends ChargeRequest {
  ref: string;
  ownerId: string;
  status: Charge['status'];
  reversals: SimulatedReversal[];
  at: Date;
}

export interface SimulatedReversal extends Reversal {
  at: Date;
}

/** A refund that we asked for. */
export interface SimulatedRefund {
  refundId: string;
  charge: SimulatedCharge;
  /** Null if it was refused, and so nothing was made. */
  reversal: SimulatedReversal | null;
}

export interface SimulatedPayout extends PayoutRequest {
  status: 'in_transit' | 'paid' | 'failed';
  at: Date;
  /** The processor has paid it once more, by a mistake of its own. */
  isDoubled?: boolean;
}

/** All that there is of one owner outside our platform. */
export interface Patron {
  ownerId: string;
  /** What decides on its luck: the seed of its world, and which of its owners it is. */
  seed: number;
  nth: number;
  charges: SimulatedCharge[];
  /** News that were not delivered yet, or are to be repeated, by intent. */
  events: { order: string; event: ProcessorEvent }[];
  /** Requests that the network has and the processor has not: the caller was told that they failed. */
  stray: { order: string; arrive: () => void }[];
}

export const chargeOf = ({ status, ref }: SimulatedCharge): Charge => {
  if (status === 'succeeded') return { status, ref };
  return status === 'declined' ? { status, reason: 'The card was declined.' } : { status: 'pending' };
};

/** What has not gone back to the card. */
export const leftOf = ({ amountCents, reversals }: SimulatedCharge): number =>
  reversals.reduce((left, { state, ...gone }) => left - (state === 'standing' ? gone.amountCents : 0), amountCents);

export const refundOf = ({ reversal }: SimulatedRefund): Refund => {
  if (!reversal) return { status: 'failed', ref: null, reason: 'The processor refused.' };
  const { ref, state, ours } = reversal;
  if (state === 'undone') return { status: 'failed', ref, reason: 'The bank of the card refused.' };
  return { status: ours?.isDecided ? 'refunded' : 'pending', ref };
};

export const payoutOf = ({ status, intentId }: SimulatedPayout): Payout =>
  status === 'failed' ? { status, reason: 'The bank refused.' } : { status, ref: `po_${intentId}` };

export type News = ProcessorEvent extends infer E ? (E extends ProcessorEvent ? Omit<E, 'id'> : never) : never;

export const ownerOf = (ref: string) => ref.slice(ref.indexOf(':') + 1);
