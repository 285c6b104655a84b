/** A card at the processor: the part that may be shown, and its ids there. */
export interface SavedMethod {
  status: 'saved';
  /** The owner's name at the processor; another one than was given where that is gone, and all its cards with it. */
  customerRef: string;
  id: string;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  /** The processor's mark of the card, the same for everybody who saves it; its id where there is no mark. */
  fingerprint: string;
}

export interface Declined {
  status: 'declined';
  /** For the cardholder to read. */
  reason: string;
}

/** `pending`: the processor has not decided; ask again later. */
export type Charge =
  | {
      status: 'succeeded';
      ref: string;
      /** When the processor has the money, where it says so. */
      availableAt?: Date;
    }
  | Declined
  | { status: 'pending' };

export interface ChargeRequest {
  /** Ours, and the processor's idempotency key: the same id never charges twice and always has the same outcome. */
  intentId: string;
  customerRef: string;
  paymentMethodId: string;
  /** Integer cents of USD. */
  amountCents: number;
}

/** For a browser that saves a card at the processor, so that no card number reaches this server. */
export interface MethodSetup {
  customerRef: string;
  /** Opens the processor's form for this one card; a secret of the owner. */
  clientSecret: string;
}

/** A page of the processor's own, on which the owner enters a card. */
export interface MethodPage {
  customerRef: string;
  url: string;
  expiresAt: Date;
}

/** Money of a charge that went back to the cardholder, by our refund, the operator's, or a dispute. */
export interface Reversal {
  /** The processor's name of the refund or dispute; each is booked once. */
  ref: string;
  kind: 'refund' | 'dispute';
  amountCents: number;
  /** `standing`: the money is gone. `undone`: the refund failed or the dispute was won, and the money is back. */
  state: 'standing' | 'undone';
  /** Of a refund that we asked for: our id, and whether the processor has decided that it works or does not. */
  ours?: { refundId: string; isDecided: boolean };
}

/** The present state of one charge at the processor. */
export interface ChargeState {
  /** Ours; null if the charge is not one of ours. */
  intentId: string | null;
  paymentMethodId: string | null;
  charge: Charge;
  /** Refunds and disputes, whoever began them. */
  reversals: Reversal[];
}

/** `pending`: the processor has not decided whether the refund works. */
export type Refund =
  | { status: 'refunded' | 'pending'; ref: string }
  /** The name is null if there is no refund at all, because it was refused. */
  | { status: 'failed'; ref: string | null; reason: string };

/** Cards and charges. `PaymentProcessor` says what is true of every call. */
export interface PayIn {
  /** Begins the saving of a card in a browser; a customer is made where the owner has none, or has it no longer. */
  setUpMethod(request: { ownerId: string; customerRef: string | null }, signal: AbortSignal): Promise<MethodSetup>;
  /**
   * Opens a page for one card. It leads back to `returnUrl`, where a card was entered with the parameter
   * `paymentMethodId`, which `saveMethod` takes.
   */
  openMethodPage(
    request: { ownerId: string; customerRef: string | null; returnUrl: string },
    signal: AbortSignal,
  ): Promise<MethodPage>;
  /** Attaches a card to the owner, so that it can be charged later without him. */
  saveMethod(
    request: { ownerId: string; customerRef: string | null; paymentMethodId: string },
    signal: AbortSignal,
  ): Promise<SavedMethod | Declined>;
  /** Detaches a card from its owner; one that is already detached is no failure. */
  detachMethod(request: { customerRef: string; paymentMethodId: string }, signal: AbortSignal): Promise<void>;
  charge(request: ChargeRequest, signal: AbortSignal): Promise<Charge>;
  /** The outcome of a charge; null if the processor never received it. */
  lookUpCharge(
    request: { intentId: string; customerRef: string | null; madeAt: Date },
    signal: AbortSignal,
  ): Promise<Charge | null>;
  /** Gives money of a charge back; `refundId` is ours and the idempotency key. */
  refund(request: { refundId: string; chargeRef: string; amountCents: number }, signal: AbortSignal): Promise<Refund>;
  /** Null if there is no such charge. */
  readCharge(request: { chargeRef: string }, signal: AbortSignal): Promise<ChargeState | null>;
}
