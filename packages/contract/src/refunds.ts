import { z } from 'zod';
import { id } from './ids.ts';
import { cents } from './money.ts';
import { audited, operation } from './operation.ts';
import { topUpRange } from './payments.ts';

const refund = z
  .object({
    id: id('refund'),
    topUpId: id('transaction'),
    amount: cents.meta({ description: 'Integer cents that go back to the card, and have left the pool' }),
    currency: z.literal('USD'),
    status: z.enum(['pending', 'succeeded']).meta({
      description: '`pending`: the processor has not decided; if it refuses, the amount comes back to the pool',
    }),
    newBalance: cents.meta({ description: 'What the owner can spend now' }),
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
    summary: 'Give money of a top-up back to its card, out of what the owner has not spent',
    description:
      "The credits leave the pool before the processor is asked, and come back if it refuses. After PROCESSOR_ERROR the refund may be under way: it is carried out or given back exactly once. WRONG_STATE: the owner's auto-top-up would charge the card again, or money that went back before is still owed.",
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
        .meta({ description: 'Integer cents; all that has not gone back of the top-up, if left out' }),
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
