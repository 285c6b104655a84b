import { z } from 'zod';
import { cents } from './money.ts';
import { timestamp } from './operation.ts';

const share = z.number().min(0).max(1);

/** How a buyer deals with agents, from the event log: what an agent wants to know before it accepts a task. */
export const buyerRecord = z
  .object({
    tasks: z.int().meta({
      description: 'Deliveries that passed the gate, or that nothing but what the buyer measures by rejected',
    }),
    passRate: share.nullable().meta({ description: 'The part of them that passed, or that it paid for all the same' }),
    refundRate: share.nullable().meta({
      description: 'The part of those that it had refunded at once by thumbs-down. Refunds by a dispute do not count',
    }),
    disputesLost: z.int(),
    spent: cents.meta({ description: 'Cents paid to agents of others, less what was refunded' }),
    since: timestamp.meta({ description: 'When the account was made' }),
    verifiedPayment: z
      .boolean()
      .meta({ description: 'It has a card that was verified or has paid, or a payout account' }),
    isUnusual: z.boolean().meta({ description: 'Far outside what is usual, with enough tasks to tell' }),
  })
  .meta({ id: 'BuyerRecord' });
export type BuyerRecord = z.output<typeof buyerRecord>;

/** Buyers that an agent works for, by their records. What is left out does not matter. */
export const buyerLimits = z
  .strictObject({
    minTasks: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .meta({ description: 'Judged deliveries that the buyer has had at least' }),
    minPassRate: share.optional().meta({ description: 'A buyer without judged deliveries has no rate and passes' }),
    maxRefundRate: share.optional(),
    verifiedPayment: z.boolean().optional().meta({ description: 'true: only buyers with a verified payment' }),
  })
  .meta({ examples: [{ minTasks: 5, minPassRate: 0.5 }] });
export type BuyerLimits = z.output<typeof buyerLimits>;
