import type { ChargeRecord, PayoutRecord, ReversalRecord } from '../../src/vault/payments/payment-processor.ts';
import { createTestProcessor, type TestProcessor } from '../../src/vault/payments/processor-test.ts';

/** What a test makes of the processor's books. */
export interface Forgery {
  /** Names of records that the processor does not list. */
  hidden: Set<string>;
  /** Amounts that it lists instead, by name. */
  amounts: Map<string, number>;
  charges: ChargeRecord[];
  reversals: ReversalRecord[];
  payouts: PayoutRecord[];
  /** Runs before anything is listed. */
  beforeList(): Promise<void>;
}

/** The test processor, whose books say besides what a test wants them to. */
export function forgedBooks(now: () => Date): { processor: TestProcessor; forgery: Forgery } {
  const real = createTestProcessor({}, now);
  const forgery: Forgery = {
    hidden: new Set(),
    amounts: new Map(),
    charges: [],
    reversals: [],
    payouts: [],
    beforeList: async () => {},
  };
  async function* forged<T extends { ref: string; amountCents: number }>(records: AsyncIterable<T>, more: T[]) {
    await forgery.beforeList();
    for await (const record of records) {
      const amountCents = forgery.amounts.get(record.ref) ?? record.amountCents;
      if (!forgery.hidden.has(record.ref)) yield { ...record, amountCents };
    }
    yield* more;
  }
  const processor: TestProcessor = {
    ...real,
    listCharges: (since, signal) => forged(real.listCharges(since, signal), forgery.charges),
    listReversals: (since, signal) => forged(real.listReversals(since, signal), forgery.reversals),
    listPayouts: (since, signal) => forged(real.listPayouts(since, signal), forgery.payouts),
  };
  return { processor, forgery };
}
