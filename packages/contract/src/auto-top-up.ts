import { z } from 'zod';
import { autoTopUp } from './holdings.ts';
import { topUpRange } from './limits.ts';
import { maxAmountCents } from './money.ts';
import { operation } from './operation.ts';

const cap = z.int().min(topUpRange.min).max(maxAmountCents).nullish();

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
      'empty pool. What these top-ups have charged in the last 24 hours and 30 days together stays within `maxPerDay` and ' +
      '`maxPerMonth`, which must be set: whoever empties the pool cannot take more from the card.',
    body: z
      .strictObject({
        enabled: z.boolean(),
        threshold: z.int().min(0).max(maxAmountCents).meta({ description: 'Integer cents' }),
        reloadAmount: z.int().min(topUpRange.min).max(topUpRange.max).meta({ description: 'Integer cents' }),
        maxPerDay: cap.meta({ description: 'Integer cents in any 24 hours; required where it is enabled' }),
        maxPerMonth: cap.meta({ description: 'Integer cents in any 30 days; required where it is enabled' }),
      })
      .refine(({ enabled, threshold, reloadAmount }) => !enabled || reloadAmount >= threshold, {
        path: ['reloadAmount'],
        message: 'must be at least the threshold; otherwise one top-up would need several charges',
      })
      .refine(({ enabled, maxPerDay }) => !enabled || typeof maxPerDay === 'number', {
        path: ['maxPerDay'],
        message: 'must be set: the most that the card is charged in a day',
      })
      .refine(({ enabled, maxPerMonth }) => !enabled || typeof maxPerMonth === 'number', {
        path: ['maxPerMonth'],
        message: 'must be set: the most that the card is charged in a month',
      })
      .refine(({ maxPerDay, reloadAmount }) => typeof maxPerDay !== 'number' || maxPerDay >= reloadAmount, {
        path: ['maxPerDay'],
        message: 'must be at least the reload amount; otherwise the pool would never be topped up',
      })
      .refine(
        ({ maxPerDay, maxPerMonth }) =>
          typeof maxPerDay !== 'number' || typeof maxPerMonth !== 'number' || maxPerMonth >= maxPerDay,
        { path: ['maxPerMonth'], message: 'must be at least the maximum per day' },
      ),
    reply: { status: 200, schema: autoTopUp },
    errors: ['VALIDATION_ERROR', 'NO_PAYMENT_METHOD'],
  }),
} as const;
