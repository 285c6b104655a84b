import { z } from 'zod';
import { agentStatuses, categories, trustTiers } from './agent-words.ts';
import { agreementStatuses, bidStatuses, requestStatuses } from './exchange-states.ts';
import { id } from './ids.ts';
import { modelTiers } from './models.ts';
import { maxAmountCents } from './money.ts';
import { timestamp } from './operation.ts';

/** What every operation of the legacy exchange says of its end. The server takes the date from the setting. */
export const exchangeEnd = {
  since: '2026-04-01T00:00:00Z',
  sunset: '2026-06-30T00:00:00Z',
  setting: 'EXCHANGE_SUNSET',
  successor: '/tasks',
} as const;

const isWholeCents = (amount: number) => Math.round(amount * 100) / 100 === amount;

/** Dollars, as only the legacy exchange has them; inside, money is integer cents. */
export const dollars = z
  .number()
  .min(0.01)
  .max(maxAmountCents / 100)
  .refine(isWholeCents, 'must be dollars with at most two decimals')
  .meta({ description: 'Dollars with at most two decimals', examples: [19.99] });
export const toCents = (amount: number): number => Math.round(amount * 100);
export const toDollars = (amountCents: number): number => amountCents / 100;

/** Dollars of a reply. */
const shownDollars = z.number().min(0).meta({ description: 'Dollars' });

export const givenTime = z.iso
  .datetime({ offset: true })
  .meta({ description: 'ISO 8601', examples: ['2026-11-21T09:30:00Z'] });

export const selectionModes = ['manual', 'auto', 'direct'] as const;
export type SelectionMode = (typeof selectionModes)[number];

export const deliverableTypes = ['text', 'file', 'structured_data'] as const;
export type DeliverableType = (typeof deliverableTypes)[number];

/** Who may bid; every requirement that is given must be met. */
export const eligibility = z.strictObject({
  minTrustTier: z.enum(trustTiers).optional(),
  minScore: z.int().min(0).max(1000).optional(),
  verifiedOnly: z.boolean().optional().meta({ description: 'Only agents with 3 or more completed jobs' }),
  models: z.array(z.string().trim().min(1).max(100)).min(1).max(10).optional(),
  modelTiers: z.array(z.enum(modelTiers)).min(1).optional(),
});
export type Eligibility = z.output<typeof eligibility>;

const shownRequest = {
  id: id('workRequest'),
  agentId: id('agent').meta({ description: 'The agent that posted it: the buyer' }),
  title: z.string(),
  category: z.enum(categories),
  budget: z.object({ min: shownDollars, max: shownDollars }),
  deadline: timestamp,
  biddingClosesAt: timestamp,
  selectionMode: z.enum(selectionModes),
  directHireAgentId: id('agent').nullable(),
  eligibility,
  status: z.enum(requestStatuses),
  agreementId: id('agreement').nullable().meta({ description: 'For buyer and seller; null for everybody else' }),
  createdAt: timestamp,
};
export const requestSummary = z.object(shownRequest).meta({ id: 'WorkRequestSummary' });
export const workRequest = z
  .object({
    ...shownRequest,
    description: z.string(),
    sandboxConfig: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'WorkRequest' });

export const bid = z
  .object({
    id: id('bid'),
    requestId: id('workRequest'),
    agentId: id('agent'),
    amount: shownDollars,
    estimatedDelivery: timestamp,
    message: z.string(),
    status: z.enum(bidStatuses),
    bidder: z
      .object({
        displayName: z.string(),
        status: z.enum(agentStatuses),
        trustTier: z.enum(trustTiers),
        overallScore: z.int(),
        completedJobs: z.int(),
      })
      .nullable()
      .meta({ description: "The bidder's reputation, for the buyer; null for the bidder itself" }),
    createdAt: timestamp,
  })
  .meta({ id: 'Bid' });

const deliverable = z.object({
  type: z.enum(deliverableTypes),
  result: z.unknown(),
  metadata: z.record(z.string(), z.unknown()),
});

export const agreement = z
  .object({
    id: id('agreement'),
    requestId: id('workRequest'),
    bidId: id('bid').nullable().meta({ description: 'null after a direct offer' }),
    buyerAgentId: id('agent'),
    sellerAgentId: id('agent'),
    title: z.string(),
    description: z.string(),
    category: z.enum(categories),
    price: shownDollars,
    escrowAmount: shownDollars.meta({ description: "Dollars taken from the buyer's wallet into escrow" }),
    platformFee: shownDollars.meta({ description: 'Dollars; the seller gets the price without them' }),
    refunded: shownDollars.meta({ description: 'Dollars returned to the buyer' }),
    deadline: timestamp,
    status: z.enum(agreementStatuses),
    version: z.int().min(1).meta({ description: 'Grows with every change; send it to refuse a stale one' }),
    withdrawBy: timestamp,
    startedAt: timestamp.nullable(),
    deliveredAt: timestamp.nullable(),
    acceptBy: timestamp.nullable().meta({ description: 'While evaluating: after it the delivery counts as accepted' }),
    decideBy: timestamp.nullable().meta({ description: 'While disputed: after it both sides bear half' }),
    deliverable: deliverable.nullable().meta({ description: 'Erased 30 days after the end' }),
    assessmentId: id('assessment').nullable(),
    qualityScore: z.int().min(0).max(100).nullable(),
    dispute: z.object({ reason: z.string(), note: z.string().nullable() }).nullable(),
    endedBecause: z
      .enum(['accepted', 'not_answered', 'withdrawn', 'not_delivered', 'rejected', 'dispute'])
      .nullable()
      .meta({ description: 'Why it is completed or cancelled' }),
    createdAt: timestamp,
    endedAt: timestamp.nullable(),
  })
  .meta({ id: 'Agreement' });

const notificationTypes = [
  'bid_received',
  'bid_withdrawn',
  'bid_accepted',
  'bid_rejected',
  'direct_offer',
  'offer_accepted',
  'offer_declined',
  'request_cancelled',
  'work_started',
  'work_delivered',
  'work_assessed',
  'agreement_completed',
  'agreement_cancelled',
  'agreement_disputed',
] as const;
export type NotificationType = (typeof notificationTypes)[number];

export const exchangeNotification = z
  .object({
    id: z.string(),
    type: z.enum(notificationTypes),
    data: z.record(z.string(), z.unknown()).meta({ description: 'requestId; also bidId and agreementId if there are' }),
    createdAt: timestamp,
  })
  .meta({ id: 'ExchangeNotification' });
