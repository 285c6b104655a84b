import type { PaymentDeps } from './calls.ts';
import type { PaymentProcessor } from './payment-processor.ts';

/** Asked about at once. */
const batchSize = 10;

/** A kind of request to the processor whose outcome may have got lost, or not come yet. */
export interface DueKind<Row extends { id: string }> {
  /** For the log. */
  what: 'top-up' | 'refund' | 'withdrawal';
  /** Takes some whose time has come and puts their next question off, so that no other process asks meanwhile. */
  claim(processor: PaymentProcessor, now: Date, limit: number): Promise<Row[]>;
  /** Asks the processor, and books the answer. */
  settle(processor: PaymentProcessor, row: Row): Promise<unknown>;
}

/**
 * Settles requests that died, lost their reply, or got an undecided one; returns how many the processor answered. Safe
 * to run at any moment and in several processes. If the processor answers none of a batch, it is unreachable and the
 * others wait: a sweep takes no longer than one call.
 */
export async function settleDue<Row extends { id: string }>(
  { processor, clock, log }: PaymentDeps,
  { what, claim, settle }: DueKind<Row>,
): Promise<number> {
  if (!processor) return 0;
  /** A request that cannot be settled must not block others. */
  const settleOne = async (row: Row): Promise<number> => {
    try {
      await settle(processor, row);
      return 1;
    } catch (error) {
      log.warn({ err: error, what, id: row.id }, 'what became of a payment could not be settled');
      return 0;
    }
  };
  for (let told = 0; ; ) {
    const batch = await claim(processor, clock.now(), batchSize);
    const answers = await Promise.all(batch.map(settleOne));
    const answered = answers.reduce((sum, one) => sum + one, 0);
    told += answered;
    if (batch.length < batchSize || answered === 0) return told;
  }
}
