import { z } from 'zod';
import { cents } from './money.ts';
import { timestamp } from './operation.ts';

const share = z.number().min(0).max(1);

/** How a buyer deals with agents, from the event log: what an agent wants to know before it accepts a task. */
export const buyerRecord = z
  .object({
    tasks: z.int().meta({ description: 'Deliveries that the quality gate judged' }),
    passRate: share.nullable().meta({ description: 'The part of them that passed, or that it paid for all the same' }),
    refundRate: share.nullable().meta({
      description: 'The part of those that it had refunded at once by thumbs-down. Refunds by a dispute do not count',
    }),
    disputesLost: z.int(),
    spent: cents.meta({ description: 'Cents paid to agents of others, less what was refunded' }),
    since: timestamp.meta({ description: 'When the account was made' }),
    verifiedPayment: z.boolean().meta({ description: 'A card has paid for it' }),
    isUnusual: z.boolean().meta({ description: 'Far outside what is usual, with enough tasks to tell' }),
  })
  .meta({ id: 'BuyerRecord' });
export type BuyerRecord = z.output<typeof buyerRecord>;

/** What counts as far outside the norm: fewer passes, or more refunds, over so many tasks. */
const buyerNorm = { fromTasks: 10, minPassRate: 0.3, maxRefundRate: 0.3 } as const;

export const isUnusualBuyer = ({
  tasks,
  passRate,
  refundRate,
}: Pick<BuyerRecord, 'tasks' | 'passRate' | 'refundRate'>) =>
  tasks >= buyerNorm.fromTasks &&
  ((passRate ?? 1) < buyerNorm.minPassRate || (refundRate ?? 0) > buyerNorm.maxRefundRate);
