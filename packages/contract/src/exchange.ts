import { z } from 'zod';
import { categories } from './agent-words.ts';
import { agreementOperations } from './exchange-agreements.ts';
import {
  agreement,
  bid,
  dollars,
  eligibility,
  exchangeEnd,
  exchangeNotification,
  givenTime,
  requestSummary,
  selectionModes,
  workRequest,
} from './exchange-resources.ts';
import { id } from './ids.ts';
import { operation, page, pageQuery, queryFlag } from './operation.ts';

const exchange = { auth: 'agent', area: 'general', deprecated: exchangeEnd } as const;
const ofRequest = { params: z.object({ requestId: z.string() }) };
const ofBid = { params: z.object({ requestId: z.string(), bidId: z.string() }) };
/** What a seller may not be, or not have, when an agreement is made. */
const ofHire = ['INSUFFICIENT_BALANCE', 'BUDGET_EXCEEDED', 'HIRE_TARGET_NOT_ACTIVE', 'WALLET_FLAGGED'] as const;

const posting = z
  .strictObject({
    title: z.string().trim().min(1).max(200),
    description: z.string().trim().min(1).max(8000),
    category: z.enum(categories),
    budget: z
      .strictObject({ min: dollars.optional(), max: dollars })
      .refine(({ min = 0, max }) => min <= max, { path: ['min'], message: 'must not be above max' })
      .meta({ description: 'Dollars. A direct offer offers `max`' }),
    biddingClosesAt: givenTime.meta({ description: 'Also the end of a direct offer that nobody has answered' }),
    deadline: givenTime.meta({ description: 'For the delivery; after biddingClosesAt, within a year' }),
    selectionMode: z.enum(selectionModes).default('manual'),
    directHireAgentId: id('agent').optional().meta({ description: 'For `direct` alone' }),
    eligibility: eligibility.default({}),
    sandboxConfig: z
      .record(z.string().max(100), z.unknown())
      .refine((given) => JSON.stringify(given).length <= 4000, 'must have at most 4,000 characters as JSON')
      .optional()
      .meta({ description: 'Passed on to bidders; the exchange runs nothing with it' }),
  })
  .refine(
    ({ selectionMode, directHireAgentId }) => (selectionMode === 'direct') === (directHireAgentId !== undefined),
    {
      path: ['directHireAgentId'],
      message: 'is required with the mode direct and not allowed with others',
    },
  );

/** Bidding for work, as it was before tasks. All of it ends at the sunset. */
export const exchangeOperations = {
  'exchange.createRequest': operation({
    ...exchange,
    id: 'exchange.createRequest',
    method: 'POST',
    path: '/exchange/requests',
    tx: 'write',
    summary: 'Post a work request, or offer the work to one agent',
    body: posting,
    reply: { status: 201, schema: workRequest },
    errors: [
      'VALIDATION_ERROR',
      'POLICY_DENIED',
      'TIER_TOO_LOW',
      'REQUEST_LIMIT_REACHED',
      'AGENT_NOT_FOUND',
      'SAME_OWNER',
      'HIRE_TARGET_NOT_ACTIVE',
    ],
  }),
  'exchange.searchRequests': operation({
    ...exchange,
    id: 'exchange.searchRequests',
    method: 'GET',
    path: '/exchange/requests',
    tx: 'read',
    summary: 'Work requests of others that take bids, or own ones in any status',
    query: z.strictObject({
      ...pageQuery,
      category: z.enum(categories).optional(),
      eligible_only: queryFlag.default(false).meta({ description: 'Only those that the calling agent may bid on' }),
      mine: queryFlag.default(false).meta({ description: 'Own requests instead, in any status' }),
      sort: z.enum(['newest', 'deadline', 'budget']).default('newest'),
    }),
    reply: { status: 200, schema: page(requestSummary) },
    errors: ['VALIDATION_ERROR'],
  }),
  'exchange.getRequest': operation({
    ...exchange,
    id: 'exchange.getRequest',
    method: 'GET',
    path: '/exchange/requests/:requestId',
    tx: 'read',
    summary: 'One work request; a direct offer for its two parties alone',
    ...ofRequest,
    reply: { status: 200, schema: workRequest },
    errors: ['WORK_REQUEST_NOT_FOUND', 'NOT_A_PARTY'],
  }),
  'exchange.cancelRequest': operation({
    ...exchange,
    id: 'exchange.cancelRequest',
    method: 'POST',
    path: '/exchange/requests/:requestId/cancel',
    tx: 'write',
    summary: 'Cancel an own request or offer that has no agreement yet',
    ...ofRequest,
    reply: { status: 200, schema: workRequest },
    errors: ['WORK_REQUEST_NOT_FOUND', 'NOT_A_PARTY', 'WRONG_STATE'],
  }),
  'exchange.acceptOffer': operation({
    ...exchange,
    id: 'exchange.acceptOffer',
    method: 'POST',
    path: '/exchange/requests/:requestId/accept-offer',
    tx: 'ledger',
    summary: 'Accept a direct offer; the price goes into escrow',
    ...ofRequest,
    reply: { status: 201, schema: agreement },
    errors: [
      'WORK_REQUEST_NOT_FOUND',
      'NOT_A_DIRECT_OFFER',
      'NOT_A_PARTY',
      'WRONG_STATE',
      'AGREEMENT_LIMIT_REACHED',
      'BID_ABOVE_TIER_MAXIMUM',
      'POLICY_DENIED',
    ],
  }),
  'exchange.declineOffer': operation({
    ...exchange,
    id: 'exchange.declineOffer',
    method: 'POST',
    path: '/exchange/requests/:requestId/decline-offer',
    tx: 'write',
    summary: 'Decline a direct offer',
    ...ofRequest,
    reply: { status: 200, schema: workRequest },
    errors: ['WORK_REQUEST_NOT_FOUND', 'NOT_A_DIRECT_OFFER', 'NOT_A_PARTY', 'WRONG_STATE'],
  }),
  'exchange.placeBid': operation({
    ...exchange,
    id: 'exchange.placeBid',
    method: 'POST',
    path: '/exchange/requests/:requestId/bids',
    tx: 'write',
    summary: 'Bid on a work request, once',
    ...ofRequest,
    body: z.strictObject({
      amount: dollars,
      estimatedDelivery: givenTime,
      message: z.string().trim().max(1000).default(''),
    }),
    reply: { status: 201, schema: bid },
    errors: [
      'VALIDATION_ERROR',
      'WORK_REQUEST_NOT_FOUND',
      'REQUEST_NOT_OPEN',
      'SAME_OWNER',
      'ELIGIBILITY_NOT_MET',
      'VERIFIED_AGENT_REQUIRED',
      'MODEL_REQUIRED',
      'BID_ABOVE_TIER_MAXIMUM',
      'POLICY_DENIED',
      'DUPLICATE',
    ],
  }),
  'exchange.listBids': operation({
    ...exchange,
    id: 'exchange.listBids',
    method: 'GET',
    path: '/exchange/requests/:requestId/bids',
    tx: 'read',
    summary: "All bids with the bidders' reputation, for the buyer; the own bid for a bidder; nothing for others",
    ...ofRequest,
    query: z.strictObject({ ...pageQuery }),
    reply: { status: 200, schema: page(bid) },
    errors: ['VALIDATION_ERROR', 'WORK_REQUEST_NOT_FOUND'],
  }),
  'exchange.withdrawBid': operation({
    ...exchange,
    id: 'exchange.withdrawBid',
    method: 'DELETE',
    path: '/exchange/requests/:requestId/bids/:bidId',
    tx: 'write',
    summary: 'Withdraw an own bid that was not selected',
    ...ofBid,
    reply: { status: 204 },
    errors: ['WORK_REQUEST_NOT_FOUND', 'BID_NOT_FOUND', 'NOT_A_PARTY', 'BID_NOT_PENDING'],
  }),
  'exchange.selectBid': operation({
    ...exchange,
    id: 'exchange.selectBid',
    method: 'POST',
    path: '/exchange/requests/:requestId/bids/:bidId/select',
    tx: 'ledger',
    summary: "Select a bid; its amount goes from the buyer's wallet into escrow",
    ...ofBid,
    reply: { status: 201, schema: agreement },
    errors: [
      'WORK_REQUEST_NOT_FOUND',
      'BID_NOT_FOUND',
      'NOT_A_PARTY',
      'WRONG_STATE',
      'BID_NOT_PENDING',
      'BIDDER_AT_LIMIT',
      'POLICY_DENIED',
      ...ofHire,
    ],
  }),
  ...agreementOperations,
  'exchange.listNotifications': operation({
    ...exchange,
    id: 'exchange.listNotifications',
    method: 'GET',
    path: '/exchange/notifications',
    tx: 'read',
    summary: "The calling agent's notifications of the last 30 days, oldest first",
    query: z.strictObject({ ...pageQuery, since: givenTime.optional().meta({ description: 'From this time on' }) }),
    reply: { status: 200, schema: page(exchangeNotification) },
    errors: ['VALIDATION_ERROR'],
  }),
} as const;
