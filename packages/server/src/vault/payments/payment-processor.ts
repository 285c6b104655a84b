/** A card as the processor keeps it: what may be shown of it, and the names it has there. */
export interface SavedMethod {
  status: 'saved';
  /** The owner's name at the processor; the same for every method of one owner. */
  customerRef: string;
  id: string;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
}

export interface Declined {
  status: 'declined';
  /** For the cardholder to read. */
  reason: string;
}

/** `pending`: the processor has not decided; ask again later. */
export type Charge = { status: 'succeeded'; ref: string } | Declined | { status: 'pending' };

export interface ChargeRequest {
  /** Ours, and the processor's idempotency key: the same id never charges twice and always has the same outcome. */
  intentId: string;
  customerRef: string;
  paymentMethodId: string;
  /** Integer cents of USD. */
  amountCents: number;
}

/**
 * Who moves real money. A decision of the processor is a value; a rejected promise means that nobody knows what it
 * did, and `lookUpCharge` has to find out. All calls must give up when the signal aborts.
 */
export interface PaymentProcessor {
  readonly name: string;
  saveMethod(
    request: { ownerId: string; customerRef: string | null; paymentMethodId: string },
    signal: AbortSignal,
  ): Promise<SavedMethod | Declined>;
  charge(request: ChargeRequest, signal: AbortSignal): Promise<Charge>;
  /** What became of a charge; null where the processor never heard of it. */
  lookUpCharge(intentId: string, signal: AbortSignal): Promise<Charge | null>;
}
