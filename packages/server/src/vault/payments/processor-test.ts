import { setTimeout as sleep } from 'node:timers/promises';
import type { Charge, ChargeRequest, PaymentProcessor } from './payment-processor.ts';

/** Cards the test processor knows, by the id under which they are saved. */
const cards = {
  pm_card_visa: { brand: 'visa', last4: '4242', charge: 'succeeded' },
  pm_card_chargeDeclined: { brand: 'visa', last4: '0341', charge: 'declined' },
} as const;

const expiry = { expMonth: 12, expYear: 2040 } as const;

/** Faults a test injects: what happens to the next charges. */
export interface TestProcessorFaults {
  /** Every charge takes this long. */
  delayMs?: number;
  /** `before`: the charge never arrives. `after`: it is made and only its reply is lost. */
  fail?: 'before' | 'after' | undefined;
  /** Look-ups fail too. */
  failLookUp?: boolean;
}

export interface TestProcessor extends PaymentProcessor {
  faults: TestProcessorFaults;
  /** Charges that were really made, in cents, by our id. */
  readonly charged: ReadonlyMap<string, number>;
}

/**
 * Charges nobody: `pm_card_visa` is accepted, `pm_card_chargeDeclined` is declined when charged, anything else when
 * saved. It forgets with the process, so that a charge cut off by a crash counts as never made.
 */
export function createTestProcessor(faults: TestProcessorFaults = {}): TestProcessor {
  const outcomes = new Map<string, Charge>();
  const charged = new Map<string, number>();

  const decide = ({ intentId, paymentMethodId, amountCents }: ChargeRequest): Charge => {
    const known = outcomes.get(intentId);
    if (known) return known;
    const accepted =
      Object.hasOwn(cards, paymentMethodId) && cards[paymentMethodId as keyof typeof cards].charge === 'succeeded';
    if (accepted) charged.set(intentId, amountCents);
    const outcome: Charge = accepted
      ? { status: 'succeeded', ref: `test_${intentId}` }
      : { status: 'declined', reason: 'The card was declined.' };
    outcomes.set(intentId, outcome);
    return outcome;
  };

  return {
    name: 'test',
    faults,
    charged,
    async saveMethod({ ownerId, customerRef, paymentMethodId }) {
      if (!Object.hasOwn(cards, paymentMethodId)) return { status: 'declined', reason: 'No such card.' };
      const { brand, last4 } = cards[paymentMethodId as keyof typeof cards];
      return {
        status: 'saved',
        customerRef: customerRef ?? `test_customer_${ownerId}`,
        id: paymentMethodId,
        brand,
        last4,
        ...expiry,
      };
    },
    async charge(request, signal) {
      const { delayMs = 0, fail } = this.faults;
      if (delayMs > 0) await sleep(delayMs, undefined, { signal });
      if (fail === 'before') throw new Error('test processor: the request did not arrive');
      const outcome = decide(request);
      if (fail === 'after') throw new Error('test processor: the reply was lost');
      return outcome;
    },
    async lookUpCharge(intentId) {
      if (this.faults.failLookUp) throw new Error('test processor: not reachable');
      return outcomes.get(intentId) ?? null;
    },
  };
}
