import { z } from 'zod';
import { autoTopUp } from './holdings.ts';
import { topUpRange } from './limits.ts';
import { maxAmountCents } from './money.ts';
import { operation } from './operation.ts';

/** How a pool refills itself. Part of the vault. */
export const autoTopUpOperations = {
  'vault.setAutoTopUp': operation({
    id: 'vault.setAutoTopUp',
    method: 'PUT',
    path: '/vault/pool/auto-top-up',
    auth: 'owner',
    area: 'general',
    tx: 'write',
    summary: 'Charge the default payment method whenever the pool falls below a threshold',
    description:
      'A declined charge is retried after 1 hour, 6 hours and 24 hours. The fourth decline in a row turns auto-top-up off. ' +
      'Setting it again retries at once. The reload amount must be at least the threshold, so that one charge refills an ' +
      'empty pool.',
    body: z
      .strictObject({
        enabled: z.boolean(),
        threshold: z.int().min(0).max(maxAmountCents).meta({ description: 'Integer cents' }),
        reloadAmount: z.int().min(topUpRange.min).max(topUpRange.max).meta({ description: 'Integer cents' }),
      })
      .refine(({ enabled, threshold, reloadAmount }) => !enabled || reloadAmount >= threshold, {
        path: ['reloadAmount'],
        message: 'must be at least the threshold; otherwise one top-up would need several charges',
      }),
    reply: { status: 200, schema: autoTopUp },
    errors: ['VALIDATION_ERROR', 'NO_PAYMENT_METHOD'],
  }),
} as const;
