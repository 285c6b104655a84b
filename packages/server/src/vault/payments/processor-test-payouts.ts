import type { AccountStatus, PayOut, Payout } from './pay-out.ts';
import type { PayoutRecord } from './payment-processor.ts';

/** Faults that a test injects into the next payouts. */
export interface TestPayoutFaults {
  /** `before`: the payout never arrives. `after`: it is made and only its reply is lost. */
  fail?: 'before' | 'after' | undefined;
  /** Look-ups and questions about accounts fail too. */
  failLookUp?: boolean;
  /** Final state of new payouts; default `paid`. */
  outcome?: Payout['status'] | undefined;
  /** State of accounts; default `ready`. `gone` means that there is none. */
  account?: AccountStatus['status'] | 'gone' | undefined;
}

export interface TestPayouts extends PayOut {
  payoutFaults: TestPayoutFaults;
  /** Payouts that were really made and stand, in cents, by our id. */
  paidOut(): ReadonlyMap<string, number>;
  /** The bank decides on a payout that was made. */
  decidePayout(intentId: string, status: PayoutRecord['status']): void;
  listPayouts(since: Date): AsyncIterable<PayoutRecord>;
}

const ofOwner = (ownerId: string) => `test_account_${ownerId}`;
const reason = 'The bank did not take the payout.';

/**
 * Pays nobody. Every account is ready at once and every payout arrives at once, for nobody is there to follow a link
 * or to wait for a bank. It forgets its payouts with the process; accounts outlast it, because they know nothing.
 */
export function createTestPayouts(now: () => Date): TestPayouts {
  const payouts = new Map<string, PayoutRecord>();
  const faults: TestPayoutFaults = {};

  const outcomeOf = ({ status, ref }: PayoutRecord): Payout =>
    status === 'failed' ? { status, reason } : { status, ref };
  const lookUp = () => {
    if (faults.failLookUp) throw new Error('test processor: not reachable');
  };

  return {
    payoutFaults: faults,
    paidOut: () => {
      const standing = [...payouts.values()].filter((payout) => payout.status !== 'failed');
      return new Map(standing.map(({ intentId, amountCents }) => [intentId as string, amountCents]));
    },
    decidePayout(intentId, status) {
      const made = payouts.get(intentId);
      if (!made) throw new Error(`no payout ${intentId} was made`);
      made.status = status;
    },
    async createAccount({ ownerId }) {
      lookUp();
      return { accountRef: ofOwner(ownerId) };
    },
    async onboardingLink({ returnUrl }) {
      return { url: returnUrl, expiresAt: new Date(now().getTime() + 300_000) };
    },
    async accountStatus(accountRef) {
      lookUp();
      const status = faults.account ?? 'ready';
      if (status === 'gone') return null;
      const missing = status === 'onboarding' ? ['external_account'] : [];
      return { accountRef, status, missing, fingerprint: status === 'onboarding' ? null : accountRef };
    },
    async payOut({ intentId, accountRef, amountCents }) {
      const { fail, outcome = 'paid' } = faults;
      if (fail === 'before') throw new Error('test processor: the request did not arrive');
      if (outcome === 'pending') return { status: 'pending' };
      const ref = `test_payout_${intentId}`;
      const made = payouts.get(intentId) ?? { ref, intentId, accountRef, amountCents, status: outcome, at: now() };
      payouts.set(intentId, made);
      if (fail === 'after') throw new Error('test processor: the reply was lost');
      return outcomeOf(made);
    },
    async lookUpPayout({ intentId }) {
      lookUp();
      const made = payouts.get(intentId);
      return made ? outcomeOf(made) : null;
    },
    async *listPayouts(since) {
      for (const record of payouts.values()) if (record.at >= since && record.status !== 'failed') yield record;
    },
  };
}
