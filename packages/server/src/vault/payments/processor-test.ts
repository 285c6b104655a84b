import { systemClock } from '../../platform/index.ts';
import type { Charge, ChargeRequest } from './pay-in.ts';
import type { ChargeRecord, PaymentProcessor, ReversalRecord } from './payment-processor.ts';
import { createTestPayouts, type TestPayouts } from './processor-test-payouts.ts';

/**
 * Cards the test processor knows, by the id under which they are saved: Stripe's, so that what was tried here can be tried
 * there. Accounts with the same card are one payer, so tests of several payers take several cards.
 */
const cards = {
  pm_card_visa: { brand: 'visa', number: '4242424242424242', charge: 'succeeded' },
  pm_card_visa_debit: { brand: 'visa', number: '4000056655665556', charge: 'succeeded' },
  pm_card_mastercard: { brand: 'mastercard', number: '5555555555554444', charge: 'succeeded' },
  pm_card_mastercard_debit: { brand: 'mastercard', number: '5200828282828210', charge: 'succeeded' },
  pm_card_mastercard_prepaid: { brand: 'mastercard', number: '5105105105105100', charge: 'succeeded' },
  pm_card_amex: { brand: 'amex', number: '378282246310005', charge: 'succeeded' },
  pm_card_discover: { brand: 'discover', number: '6011111111111117', charge: 'succeeded' },
  pm_card_diners: { brand: 'diners', number: '3056930009020004', charge: 'succeeded' },
  pm_card_jcb: { brand: 'jcb', number: '3566002020360505', charge: 'succeeded' },
  pm_card_unionpay: { brand: 'unionpay', number: '6200000000000005', charge: 'succeeded' },
  pm_card_chargeDeclined: { brand: 'visa', number: '4000000000000341', charge: 'declined' },
} as const;

const expiry = { expMonth: 12, expYear: 2040 } as const;

/** Faults that a test injects into the next charges. */
export interface TestProcessorFaults {
  /** Charges arrive when this has resolved. */
  arriving?: Promise<void>;
  /** `before`: the charge never arrives. `after`: it is made and only its reply is lost. */
  fail?: 'before' | 'after' | undefined;
  /** Look-ups fail too. */
  failLookUp?: boolean;
}

export interface TestProcessor extends PaymentProcessor, Omit<TestPayouts, 'listPayouts'> {
  faults: TestProcessorFaults;
  /** Charges that were really made, in cents, by our id. */
  readonly charged: ReadonlyMap<string, number>;
}

const customerOf = (ownerId: string) => `test_customer_${ownerId}`;

/**
 * Charges nobody: `pm_card_visa` and other cards are accepted, `pm_card_chargeDeclined` is declined when charged, anything else when
 * saved. It forgets with the process, so that a charge cut off by a crash counts as never made.
 */
export function createTestProcessor(
  faults: TestProcessorFaults = {},
  now: () => Date = systemClock.now,
): TestProcessor {
  const outcomes = new Map<string, Charge>();
  const charged = new Map<string, number>();
  const made = new Map<string, ChargeRecord & { paymentMethodId: string }>();
  const refunds = new Map<string, ReversalRecord>();

  const decide = ({ intentId, customerRef, paymentMethodId, amountCents }: ChargeRequest): Charge => {
    const known = outcomes.get(intentId);
    if (known) return known;
    const accepted =
      Object.hasOwn(cards, paymentMethodId) && cards[paymentMethodId as keyof typeof cards].charge === 'succeeded';
    const ref = `test_${intentId}`;
    if (accepted) {
      charged.set(intentId, amountCents);
      made.set(ref, { ref, intentId, customerRef, paymentMethodId, amountCents, at: now() });
    }
    const outcome: Charge = accepted
      ? { status: 'succeeded', ref }
      : { status: 'declined', reason: 'The card was declined.' };
    outcomes.set(intentId, outcome);
    return outcome;
  };
  const refundsOf = (chargeRef: string) => [...refunds.values()].filter((refund) => refund.chargeRef === chargeRef);
  const refundedOf = (chargeRef: string) => refundsOf(chargeRef).reduce((sum, refund) => sum + refund.amountCents, 0);

  return {
    ...createTestPayouts(now),
    name: 'test',
    faults,
    charged,
    async setUpMethod({ ownerId, customerRef }) {
      const customer = customerRef ?? customerOf(ownerId);
      return { customerRef: customer, clientSecret: `test_setup_${ownerId}` };
    },
    async openMethodPage({ ownerId, customerRef, returnUrl }) {
      const back = new URL(returnUrl);
      back.searchParams.set('paymentMethodId', 'pm_card_visa');
      const expiresAt = new Date(now().getTime() + 3_600_000);
      return { customerRef: customerRef ?? customerOf(ownerId), url: back.href, expiresAt };
    },
    async saveMethod({ ownerId, customerRef, paymentMethodId }) {
      if (!Object.hasOwn(cards, paymentMethodId)) return { status: 'declined', reason: 'No such card.' };
      const { brand, number: fingerprint } = cards[paymentMethodId as keyof typeof cards];
      const names = { customerRef: customerRef ?? customerOf(ownerId), id: paymentMethodId };
      return { status: 'saved', ...names, brand, last4: fingerprint.slice(-4), ...expiry, fingerprint };
    },
    async detachMethod() {},
    async charge(request) {
      const { arriving, fail } = this.faults;
      await arriving;
      if (fail === 'before') throw new Error('test processor: the request did not arrive');
      const outcome = decide(request);
      if (fail === 'after') throw new Error('test processor: the reply was lost');
      return outcome;
    },
    async lookUpCharge({ intentId }) {
      if (this.faults.failLookUp) throw new Error('test processor: not reachable');
      return outcomes.get(intentId) ?? null;
    },
    async refund({ refundId, chargeRef, amountCents }) {
      const ref = `test_refund_${refundId}`;
      if (refunds.has(ref)) return { status: 'refunded', ref };
      if (refundedOf(chargeRef) + amountCents > (made.get(chargeRef)?.amountCents ?? 0)) {
        return { status: 'failed', ref: null, reason: 'More than was charged.' };
      }
      const ours = { refundId, isDecided: true };
      refunds.set(ref, { ref, kind: 'refund', amountCents, state: 'standing', ours, chargeRef, at: now() });
      return { status: 'refunded', ref };
    },
    async readCharge({ chargeRef }) {
      const found = made.get(chargeRef);
      if (found === undefined) return null;
      const { intentId, paymentMethodId } = found;
      const charge = { status: 'succeeded', ref: chargeRef } as const;
      return { intentId, paymentMethodId, charge, reversals: refundsOf(chargeRef) };
    },
    async *listCharges(since) {
      for (const charge of made.values()) if (charge.at >= since) yield charge;
    },
    async *listReversals(since) {
      for (const refund of refunds.values()) if (refund.at >= since) yield refund;
    },
    verifyWebhook: () => ({ status: 'refused', reason: 'The test processor sends no webhooks.' }),
  };
}
