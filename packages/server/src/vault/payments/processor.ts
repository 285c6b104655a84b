import type { Clock, Config } from '../../platform/index.ts';
import type { PaymentProcessor } from './payment-processor.ts';
import { createTestProcessor } from './processor-test.ts';

type PaymentSettings = Pick<Config, 'AGORA_ENV' | 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_BASE'>;

/** The processor of the settings; null if none is configured, as production has no test payments. */
export async function configuredProcessor(config: PaymentSettings, clock: Clock): Promise<PaymentProcessor | null> {
  const { AGORA_ENV, STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET, STRIPE_API_BASE: apiBase } = config;
  if (secretKey !== undefined) {
    const { createStripeProcessor } = await import('./processor-stripe.ts');
    return createStripeProcessor({ secretKey, webhookSecret: STRIPE_WEBHOOK_SECRET ?? null, apiBase });
  }
  // The test processor forgets with the process, which reconciliation must not take for charges that were never made.
  return AGORA_ENV === 'development' ? { ...createTestProcessor({}, clock.now), booksBegin: clock.now() } : null;
}

export type { PaymentProcessor };
