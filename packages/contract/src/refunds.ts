import { z } from 'zod';
import { id } from './ids.ts';
import { topUpRange } from './limits.ts';
import { cents } from './money.ts';
import { audited, operation } from './operation.ts';

const refund = z
  .object({
    id: id('refund'),
    topUpId: id('transaction'),
    amount: cents.meta({ description: 'Integer cents that left the pool and go back to the card' }),
    currency: z.literal('USD'),
    status: z.enum(['pending', 'succeeded']).meta({
      description: '`pending`: the processor has not decided. If it refuses, the amount returns to the pool',
    }),
    newBalance: cents.meta({ description: 'Integer cents that the owner can spend now' }),
  })
  .meta({ id: 'Refund' });

/** The operator gives unspent credits back to the card that paid for them. Part of the vault. */
export const refundOperations = {
  'vault.refundTopUp': operation({
    id: 'vault.refundTopUp',
    method: 'POST',
    path: '/vault/top-ups/:topUpId/refund',
    auth: 'operator',
    area: 'general',
    tx: 'external',
    summary: 'Refund a top-up to its card, from credits that the owner has not spent',
    description:
      'The credits leave the pool before the processor is asked and return if it refuses. After PROCESSOR_ERROR the refund may be pending: it will be carried out or returned exactly once. WRONG_STATE: auto-top-up would charge the card again, or the owner still owes an earlier refund.',
    params: z.object({
      topUpId: z.string().meta({
        description:
          "The `txn_…` of the top-up among the pool's transactions, or the UUID that the processor shows as `agora_intent_id` of the charge",
      }),
    }),
    body: z.strictObject({
      amount: z
        .int()
        .min(1)
        .max(topUpRange.max)
        .optional()
        .meta({ description: 'Integer cents. Default: all of the top-up that was not refunded yet' }),
      ...audited('Why, for the owner and'),
    }),
    reply: { status: 202, schema: refund },
    errors: [
      'VALIDATION_ERROR',
      'WRONG_STATE',
      'INSUFFICIENT_BALANCE',
      'REFUND_EXCEEDS_TOP_UP',
      'REFUND_REFUSED',
      'TOP_UP_NOT_FOUND',
      'TOP_UP_NOT_PAID',
      'REFUND_IN_PROGRESS',
      'PROCESSOR_ERROR',
      'PROCESSOR_NOT_CONFIGURED',
    ],
  }),
} as const;
