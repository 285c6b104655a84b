import { rateLimits } from '@agora-market/contract';

/** Settings under which limits count every request as always, and are so high that none is refused. */
export const highLimits: Record<string, string> = {
  REQUESTS_AT_ONCE: '1000000',
  PAYMENT_LIMITS: 'off',
  ...Object.fromEntries(Object.values(rateLimits).map(({ setting }) => [setting, '1000000000'])),
};

/** Settings under which nothing is counted. */
export const noLimits: Record<string, string> = {
  REQUESTS_AT_ONCE: '0',
  PAYMENT_LIMITS: 'off',
  ...Object.fromEntries(Object.values(rateLimits).map(({ setting }) => [setting, '0'])),
};
