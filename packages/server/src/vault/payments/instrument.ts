import type { GuardedDeps } from './calls.ts';
import type { PaymentProcessor } from './payment-processor.ts';

/**
 * Names a card or bank account alike for every owner that uses it, by the processor's mark of it. Who reads the database or
 * an event can compare two names, but cannot find the card.
 */
export const instrumentOf = (
  { digest }: Pick<GuardedDeps, 'digest'>,
  { name }: Pick<PaymentProcessor, 'name'>,
  fingerprint: string,
): string => `ins_${digest('instrument', name, fingerprint).toString('hex').slice(0, 32)}`;
