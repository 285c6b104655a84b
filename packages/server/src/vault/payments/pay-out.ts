/** Whether an owner's account at the processor can be paid. */
export interface AccountStatus {
  accountRef: string;
  /**
   * `onboarding`: the owner must continue it. `restricted`: the account exists, but the processor pays nothing out yet.
   */
  status: 'onboarding' | 'restricted' | 'ready';
  /** Missing details in the processor's words; empty if ready. */
  missing: string[];
  /** The processor's mark of the bank account behind it; null where none is known. */
  fingerprint: string | null;
}

export interface PayoutRequest {
  /** Our id, from which the idempotency keys derive: the same id never pays twice. */
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
  /** What the platform finally gave, if the processor took back all or part of it from the owner's account. */
  netCents?: number;
}

/**
 * `pending`: the processor has not decided; ask again later. `in_transit`: it has taken the money and will report its
 * arrival.
 */
export type Payout = { status: 'pending' } | { status: 'in_transit'; ref: string } | PaidPayout | FailedPayout;

/** Payouts to banks. `PaymentProcessor` says what is true of every call. */
export interface PayOut {
  /** Makes the owner's account; asked twice for one owner and one `since` it answers with the same one. */
  createAccount(
    request: { ownerId: string; email: string; since?: number | null },
    signal: AbortSignal,
  ): Promise<{ accountRef: string }>;
  /** The page where the owner gives the processor its identity and bank; valid once, for a few minutes. */
  onboardingLink(
    request: { accountRef: string; returnUrl: string; refreshUrl: string },
    signal: AbortSignal,
  ): Promise<{ url: string; expiresAt: Date }>;
  /** Null if the processor has no such account, or has it no longer. */
  accountStatus(accountRef: string, signal: AbortSignal): Promise<AccountStatus | null>;
  /** Sends money to the owner's bank: to the account first, from there to the bank. */
  payOut(request: PayoutRequest, signal: AbortSignal): Promise<Payout>;
  /** The outcome of a payout; null if the processor never received it. */
  lookUpPayout(request: PayoutRequest & { madeAt: Date }, signal: AbortSignal): Promise<Payout | null>;
}
