import type { Config } from '../../platform/index.ts';
import type { PaymentProcessor } from './payment-processor.ts';
import { createTestProcessor } from './processor-test.ts';

/** The processor of the settings; null where none is configured, as production has no test payments. */
export const configuredProcessor = (config: Pick<Config, 'AGORA_ENV'>): PaymentProcessor | null =>
  config.AGORA_ENV === 'development' ? createTestProcessor() : null;

export type { PaymentProcessor };
