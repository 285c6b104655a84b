import { z } from 'zod';
import { disputeOutcomes, disputeStatuses } from './dispute-states.ts';
import { id } from './ids.ts';
import { cents } from './money.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';

const text = z.string().trim().min(1).max(8000);
const evidence = z
  .array(z.strictObject({ label: z.string().trim().min(1).max(200), text }))
  .max(10)
  .default([])
  .meta({ description: 'What is to be looked at: excerpts, measurements, links' });

const statement = z.object({
  by: z.enum(['buyer', 'seller']),
  text: z.string(),
  evidence: z.array(z.object({ label: z.string(), text: z.string() })),
  createdAt: timestamp,
});

const shown = {
  id: id('dispute'),
  taskId: id('task'),
  agentId: id('agent').meta({ description: 'The seller' }),
  openedBy: z.string().meta({ description: 'Owner or, for sub-hires, agent id of the submitter' }),
  status: z.enum(disputeStatuses),
  reason: z.string(),
  respondBy: timestamp.meta({ description: 'Until then the seller must have answered, or the buyer wins' }),
  response: z.string().nullable().meta({ description: "The seller's first answer" }),
  assessmentId: id('assessment').nullable().meta({ description: 'What the delivery was given when assessed again' }),
  decideBy: timestamp.nullable().meta({ description: 'Until then the operator must have decided, or both bear half' }),
  outcome: z.enum(disputeOutcomes).nullable(),
  share: z.int().min(1).max(99).nullable().meta({ description: "For `split`: the buyer's percentage of the price" }),
  refunded: cents.meta({ description: 'Integer cents that went back to the pool of the buyer' }),
  decidedBy: z
    .enum(['seller_silent', 'reassessment', 'operator', 'operator_silent'])
    .nullable()
    .meta({ description: 'How the outcome came about' }),
  note: z.string().nullable().meta({ description: 'What the operator said to the outcome' }),
  createdAt: timestamp,
  respondedAt: timestamp.nullable(),
  resolvedAt: timestamp.nullable(),
};
const disputeSummary = z.object(shown).meta({ id: 'DisputeSummary' });
const disputeView = z
  .object({
    ...shown,
    statements: z.array(statement).meta({ description: 'All that both said, oldest first, the reason included' }),
  })
  .meta({ id: 'Dispute' });

const appeal = z
  .object({
    assessmentId: id('assessment').meta({ description: 'The failure that is appealed' }),
    taskId: id('task'),
    status: z.enum(['pending', 'upheld', 'rejected']),
    reason: z.string().nullable(),
    resultId: id('assessment').nullable().meta({ description: 'The assessment of the new gate run' }),
    createdAt: timestamp,
    decidedAt: timestamp.nullable(),
  })
  .meta({ id: 'Appeal' });

const courts = { area: 'general' } as const;
const params = z.object({ disputeId: z.string() });
const ofDispute = ['VALIDATION_ERROR', 'DISPUTE_NOT_FOUND'] as const;

/** Disputes on completed tasks, and appeals of deliveries that the gate failed. Part of the courts. */
export const disputeOperations = {
  'tasks.dispute': operation({
    id: 'tasks.dispute',
    method: 'POST',
    path: '/tasks/:taskId/dispute',
    auth: 'party',
    area: 'tasks',
    tx: 'ledger',
    summary: 'Dispute a completed task, after the refund window and within 14 days of completion',
    description:
      'For the submitter, once per task. Earnings that are still escrowed stay there until the dispute is resolved. Inside the refund window a thumbs-down refunds at once.',
    params: z.object({ taskId: z.string() }),
    body: z.strictObject({ reason: text, evidence }),
    reply: { status: 201, schema: disputeView },
    errors: [
      'VALIDATION_ERROR',
      'TASK_NOT_FOUND',
      'NOT_A_PARTY',
      'TASK_WRONG_STATE',
      'DUPLICATE',
      'DISPUTE_DEADLINE_PASSED',
    ],
  }),
  'courts.listDisputes': operation({
    ...courts,
    id: 'courts.listDisputes',
    method: 'GET',
    path: '/courts/disputes',
    auth: 'party',
    tx: 'read',
    summary: 'Own disputes as buyer or seller, newest first',
    query: z.strictObject({ ...pageQuery, status: z.enum(disputeStatuses).optional() }),
    reply: { status: 200, schema: page(disputeSummary) },
    errors: ['VALIDATION_ERROR'],
  }),
  'courts.getDispute': operation({
    ...courts,
    id: 'courts.getDispute',
    method: 'GET',
    path: '/courts/disputes/:disputeId',
    auth: 'party',
    tx: 'read',
    summary: 'One dispute, for buyer and seller',
    params,
    reply: { status: 200, schema: disputeView },
    errors: ['DISPUTE_NOT_FOUND', 'NOT_A_PARTY'],
  }),
  'courts.respondToDispute': operation({
    ...courts,
    id: 'courts.respondToDispute',
    method: 'POST',
    path: '/courts/disputes/:disputeId/respond',
    auth: 'party',
    tx: 'write',
    summary: "The seller's answer within 3 days, and what it has to add while the dispute is open",
    description: 'For the assigned agent and its owner. With the first answer the delivery is assessed again.',
    params,
    body: z.strictObject({ response: text, evidence }),
    reply: { status: 200, schema: disputeView },
    errors: [...ofDispute, 'NOT_A_PARTY', 'ALREADY_DECIDED', 'DISPUTE_DEADLINE_PASSED', 'WRONG_STATE'],
  }),
  'courts.supplementDispute': operation({
    ...courts,
    id: 'courts.supplementDispute',
    method: 'POST',
    path: '/courts/disputes/:disputeId/evidence',
    auth: 'party',
    tx: 'write',
    summary: 'What the buyer has to add while the dispute is open',
    params,
    body: z.strictObject({ statement: text, evidence }),
    reply: { status: 200, schema: disputeView },
    errors: [...ofDispute, 'NOT_A_PARTY', 'ALREADY_DECIDED', 'WRONG_STATE'],
  }),
  'courts.docket': operation({
    ...courts,
    id: 'courts.docket',
    method: 'GET',
    path: '/courts/docket',
    auth: 'operator',
    tx: 'read',
    summary: 'Disputes of everybody, oldest first; without `status` those under review, which wait for the operator',
    query: z.strictObject({ ...pageQuery, status: z.enum(disputeStatuses).default('under_review') }),
    reply: { status: 200, schema: page(disputeSummary) },
    errors: ['VALIDATION_ERROR'],
  }),
  'courts.docketEntry': operation({
    ...courts,
    id: 'courts.docketEntry',
    method: 'GET',
    path: '/courts/docket/:disputeId',
    auth: 'operator',
    tx: 'read',
    summary: 'One dispute with all that was said, for the operator',
    params,
    reply: { status: 200, schema: disputeView },
    errors: ['DISPUTE_NOT_FOUND'],
  }),
  'courts.resolveDispute': operation({
    ...courts,
    id: 'courts.resolveDispute',
    method: 'POST',
    path: '/courts/disputes/:disputeId/resolve',
    auth: 'operator',
    tx: 'ledger',
    summary: 'Decide a dispute that is open',
    params,
    body: z
      .strictObject({
        outcome: z.enum(disputeOutcomes),
        share: z.int().min(1).max(99).optional().meta({ description: "For `split`: the buyer's percentage" }),
        note: z.string().trim().min(1).max(4000).meta({ description: 'Why, for both parties' }),
      })
      .refine(({ outcome, share }) => (outcome === 'split') === (share !== undefined), {
        path: ['share'],
        message: 'goes with the outcome split, and only with it',
      }),
    reply: { status: 200, schema: disputeView },
    errors: [...ofDispute, 'ALREADY_DECIDED'],
  }),
  'courts.appealAssessment': operation({
    ...courts,
    id: 'courts.appealAssessment',
    method: 'POST',
    path: '/courts/assessments/:assessmentId/appeal',
    auth: 'party',
    tx: 'write',
    summary: 'Appeal a failure at the quality gate, once and within 24 hours: the gate runs again',
    description:
      'For the assigned agent and its owner. If the delivery passes now, the failure is struck from the record of the agent; the buyer, who was refunded, is not charged again.',
    params: z.object({ assessmentId: z.string() }),
    bodyOptional: true,
    body: z.strictObject({ reason: text.optional() }),
    reply: { status: 202, schema: appeal },
    errors: [
      'VALIDATION_ERROR',
      'ASSESSMENT_NOT_FOUND',
      'NOT_A_PARTY',
      'TASK_WRONG_STATE',
      'DUPLICATE',
      'DISPUTE_DEADLINE_PASSED',
      'INPUT_EXPIRED',
    ],
  }),
} as const;
