/** Whether an owner's account at the processor can be paid. */
export interface AccountStatus {
  accountRef: string;
  /** `onboarding`: the owner has to go on with it. `restricted`: it is made, but the processor pays nothing out yet. */
  status: 'onboarding' | 'restricted' | 'ready';
  /** What the processor still wants to know, in its own words; empty when ready. */
  missing: string[];
}

export interface PayoutRequest {
  /** Ours, and what the idempotency keys are made of: the same id never pays twice. */
  intentId: string;
  accountRef: string;
  /** Integer cents of USD. */
  amountCents: number;
  /** The processor's id of the payout, if it reported one; without it no payout is known. */
  payoutRef?: string | null;
}

/** Nothing was paid, and all of the money is with the platform again. */
export interface FailedPayout {
  status: 'failed';
  /** For the owner to read. */
  reason: string;
  /** The processor's own words. They may reveal the platform's account, so they go to the operator's log only. */
  said?: string | undefined;
}

/** The bank has the money. */
export interface PaidPayout {
  status: 'paid';
  ref: string;
  /** What the platform has given for it in the end, where it has taken all or a part back from the owner's account. */
  netCents?: number;
}

/**
 * `pending`: the processor has not decided; ask again later. `in_transit`: it has taken the money and will tell when
 * it has arrived.
 */
export type Payout = { status: 'pending' } | { status: 'in_transit'; ref: string } | PaidPayout | FailedPayout;

/** The bank side. See `PaymentProcessor` for what holds of every call. */
export interface PayOut {
  /** Makes the owner's account; asked twice for one owner it answers with the same one. */
  createAccount(request: { ownerId: string; email: string }, signal: AbortSignal): Promise<{ accountRef: string }>;
  /** Where the owner tells the processor who he is and where his bank is; good for one visit within minutes. */
  onboardingLink(
    request: { accountRef: string; returnUrl: string; refreshUrl: string },
    signal: AbortSignal,
  ): Promise<{ url: string; expiresAt: Date }>;
  /** Null where the processor has no such account, or has it no longer. */
  accountStatus(accountRef: string, signal: AbortSignal): Promise<AccountStatus | null>;
  /** Sends money to the owner's bank: to the account first, from there to the bank. */
  payOut(request: PayoutRequest, signal: AbortSignal): Promise<Payout>;
  /** The outcome of a payout; null if the processor never received it. */
  lookUpPayout(request: PayoutRequest & { madeAt: Date }, signal: AbortSignal): Promise<Payout | null>;
}
