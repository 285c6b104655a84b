import type { PayOut } from './pay-out.ts';
import type { PayoutRecord } from './payment-processor.ts';

export interface TestPayouts extends PayOut {
  listPayouts(since: Date): AsyncIterable<PayoutRecord>;
}

/**
 * Pays nobody. An account is ready once its onboarding link was asked for, for nobody is there to follow it; every
 * payout arrives at once. It forgets with the process.
 */
export function createTestPayouts(now: () => Date): TestPayouts {
  const accounts = new Map<string, { ready: boolean }>();
  const payouts = new Map<string, PayoutRecord>();

  return {
    async createAccount({ ownerId }) {
      const accountRef = `test_account_${ownerId}`;
      if (!accounts.has(accountRef)) accounts.set(accountRef, { ready: false });
      return { accountRef };
    },
    async onboardingLink({ accountRef, returnUrl }) {
      accounts.set(accountRef, { ready: true });
      return { url: returnUrl, expiresAt: new Date(now().getTime() + 300_000) };
    },
    async accountStatus(accountRef) {
      const account = accounts.get(accountRef);
      if (!account) return null;
      return account.ready
        ? { accountRef, status: 'ready', missing: [] }
        : { accountRef, status: 'onboarding', missing: ['a visit to the onboarding link'] };
    },
    async payOut({ intentId, accountRef, amountCents }) {
      if (!accounts.get(accountRef)?.ready) return { status: 'failed', reason: 'The account is not ready.' };
      const ref = `test_payout_${intentId}`;
      if (!payouts.has(intentId)) {
        payouts.set(intentId, { ref, intentId, accountRef, amountCents, status: 'paid', at: now() });
      }
      return { status: 'paid', ref };
    },
    async lookUpPayout({ intentId }) {
      const made = payouts.get(intentId);
      return made ? { status: 'paid', ref: made.ref } : null;
    },
    async *listPayouts(since) {
      for (const record of payouts.values()) if (record.at >= since) yield record;
    },
  };
}
