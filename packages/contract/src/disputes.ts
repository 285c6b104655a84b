import { z } from 'zod';
import { filesByPath, proofRequest } from './acceptance.ts';
import { buyerRecord } from './buyers.ts';
import { assessment } from './courts.ts';
import { disputeOutcomes, disputeStatuses, maxProofs, proofSides } from './dispute-states.ts';
import { triedCheck } from './dry-run.ts';
import { id } from './ids.ts';
import { message } from './messages.ts';
import { cents } from './money.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';
import { taskTypes } from './task-types.ts';

const text = z.string().trim().min(1).max(8000);
const evidence = z
  .array(z.strictObject({ label: z.string().trim().min(1).max(200), text }))
  .max(10)
  .default([])
  .meta({ description: 'Evidence: excerpts, measurements, links' });

const proof = proofRequest.optional().meta({
  description: `What the gate runs over the delivery and over the untouched input, at most ${maxProofs} of a side. One that holds on only one of them decides the dispute, unless the other side shows one that speaks against it. Only while input and delivery are kept`,
});

const shownProof = z
  .object({
    by: z.enum(['buyer', 'seller']),
    checks: proofRequest.shape.checks,
    files: filesByPath.nullable(),
    speaksFor: z.enum(proofSides).nullable().meta({
      description:
        'buyer: it holds on the untouched input and fails on the delivery; seller: the other way round; nobody: it ends alike on both, or did not run to its end. null: not run yet',
    }),
    why: z.string().nullable().meta({ description: 'Why it was not run, as a sentence' }),
    onInput: z.array(triedCheck).nullable().meta({ description: 'What its checks did over the untouched input' }),
    onDelivery: z.array(triedCheck).nullable().meta({ description: 'What its checks did over the delivery' }),
    createdAt: timestamp,
    ranAt: timestamp.nullable(),
  })
  .meta({ id: 'DisputeProof' });
export type DisputeProof = z.output<typeof shownProof>;

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
  openedBy: z.string().meta({ description: 'Id of the submitter: an owner, or an agent for sub-hires' }),
  status: z.enum(disputeStatuses),
  reason: z.string(),
  price: cents.meta({ description: 'What the task cost, in integer cents' }),
  respondBy: timestamp.meta({ description: 'If the seller has not answered by then, the buyer wins' }),
  response: z.string().nullable().meta({ description: "The seller's first answer" }),
  assessmentId: id('assessment').nullable().meta({ description: 'The assessment that the gate made for the dispute' }),
  decideBy: timestamp.nullable().meta({
    description:
      'If the operator has not decided by then, the side wins that alone has a proof; without one the last verdict on the delivery stands',
  }),
  proofBy: timestamp.nullable().meta({
    description: 'Only one side has a proof that speaks for it: it wins then, unless the other shows one. Else null',
  }),
  outcome: z.enum(disputeOutcomes).nullable(),
  share: z.int().min(1).max(99).nullable().meta({ description: "For `split`: the buyer's percentage of the price" }),
  refunded: cents.meta({ description: "Integer cents that were returned to the buyer's pool" }),
  decidedBy: z
    .enum(['seller_silent', 'reassessment', 'proof', 'operator', 'operator_silent'])
    .nullable()
    .meta({ description: 'What led to the outcome' }),
  note: z.string().nullable().meta({ description: "The operator's note on the outcome" }),
  createdAt: timestamp,
  respondedAt: timestamp.nullable(),
  resolvedAt: timestamp.nullable(),
};
const disputeSummary = z.object(shown).meta({ id: 'DisputeSummary' });
const disputeView = z
  .object({
    ...shown,
    statements: z
      .array(statement)
      .meta({ description: 'All statements of both sides, oldest first, including the reason' }),
    proofs: z.array(shownProof).meta({ description: 'All proofs of both sides, oldest first' }),
  })
  .meta({ id: 'Dispute' });

const disputes = z
  .object({ open: z.int().min(0), won: z.int().min(0), lost: z.int().min(0), split: z.int().min(0) })
  .meta({
    description: 'Other disputes that it was a side of. Those that ended without an answer of the operator are none',
  });

/** How both sides have dealt so far. */
const history = z
  .object({
    buyer: buyerRecord.extend({ disputes }).nullable().meta({ description: 'null for an account that is gone' }),
    seller: z.object({
      completedTasks: z.int(),
      failedTasks: z.int(),
      refundedTasks: z.int(),
      thumbsUp: z.int(),
      thumbsDown: z.int(),
      overallScore: z.int().min(0).max(1000),
      confidence: z.int().min(0).max(100).meta({ description: 'How reliable the score is; 0 while nothing is known' }),
      since: timestamp.nullable().meta({ description: 'When its first task passed' }),
      disputes,
    }),
  })
  .meta({ id: 'DisputeHistory' });

const disputedWork = z
  .object({
    taskId: id('task'),
    taskType: z.enum(taskTypes),
    description: z.string().nullable().meta({ description: 'null where it was erased' }),
    output: z.record(z.string(), z.unknown()).nullable(),
    history,
    assessments: z.array(assessment).meta({ description: 'Newest first, as far as the reader may see them' }),
    messages: z.array(message).meta({ description: 'What buyer and agent wrote about the task, oldest first' }),
    patch: z
      .object({
        sizeBytes: z.int().min(0),
        text: z.string().nullable().meta({ description: 'null if it is longer than 1 MB, or was not kept' }),
      })
      .nullable()
      .meta({ description: 'The change of the delivery, as git apply takes it; null if there is none, or no more' }),
  })
  .meta({ id: 'DisputedWork' });

const appeal = z
  .object({
    assessmentId: id('assessment').meta({ description: 'The assessment that is appealed' }),
    taskId: id('task'),
    status: z.enum(['pending', 'upheld', 'rejected']),
    reason: z.string().nullable(),
    resultId: id('assessment').nullable().meta({ description: 'The assessment made by the new gate run' }),
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
      'For the submitter, once per task. At most three of its disputes are open at once, and one less for each that it lost within 90 days, but always one. Earnings still in escrow stay there until the dispute is resolved. Within the refund window give a thumbs-down instead: it refunds at once.',
    params: z.object({ taskId: z.string() }),
    body: z.strictObject({ reason: text, evidence, proof }),
    reply: { status: 201, schema: disputeView },
    errors: [
      'VALIDATION_ERROR',
      'TASK_NOT_FOUND',
      'NOT_A_PARTY',
      'TASK_WRONG_STATE',
      'DUPLICATE',
      'DISPUTE_LIMIT_REACHED',
      'DISPUTE_DEADLINE_PASSED',
      'INPUT_EXPIRED',
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
  'courts.disputedWork': operation({
    ...courts,
    id: 'courts.disputedWork',
    method: 'GET',
    path: '/courts/disputes/:disputeId/work',
    auth: 'party',
    tx: 'external',
    summary:
      "The work that a dispute is about and the history of both sides, for buyer and seller, also for the agent's owner",
    params,
    reply: { status: 200, schema: disputedWork },
    errors: ['DISPUTE_NOT_FOUND', 'NOT_A_PARTY'],
  }),
  'courts.respondToDispute': operation({
    ...courts,
    id: 'courts.respondToDispute',
    method: 'POST',
    path: '/courts/disputes/:disputeId/respond',
    auth: 'party',
    tx: 'write',
    summary: 'Answer a dispute as the seller within 3 days, and add statements while it is open',
    description: 'For the assigned agent and its owner. The first answer makes the gate assess the delivery again.',
    params,
    body: z.strictObject({ response: text, evidence, proof }),
    reply: { status: 200, schema: disputeView },
    errors: [...ofDispute, 'NOT_A_PARTY', 'ALREADY_DECIDED', 'DISPUTE_DEADLINE_PASSED', 'WRONG_STATE', 'INPUT_EXPIRED'],
  }),
  'courts.supplementDispute': operation({
    ...courts,
    id: 'courts.supplementDispute',
    method: 'POST',
    path: '/courts/disputes/:disputeId/evidence',
    auth: 'party',
    tx: 'write',
    summary: 'Add a statement or a proof as the buyer while the dispute is open',
    params,
    body: z.strictObject({ statement: text, evidence, proof }),
    reply: { status: 200, schema: disputeView },
    errors: [...ofDispute, 'NOT_A_PARTY', 'ALREADY_DECIDED', 'WRONG_STATE', 'INPUT_EXPIRED'],
  }),
  'courts.docket': operation({
    ...courts,
    id: 'courts.docket',
    method: 'GET',
    path: '/courts/docket',
    auth: 'operator',
    tx: 'read',
    summary: 'Disputes of all owners, oldest first. Without `status`: those under review, which wait for the operator',
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
    summary: 'One dispute with all statements, for the operator',
    params,
    reply: { status: 200, schema: disputeView },
    errors: ['DISPUTE_NOT_FOUND'],
  }),
  'courts.docketWork': operation({
    ...courts,
    id: 'courts.docketWork',
    method: 'GET',
    path: '/courts/docket/:disputeId/work',
    auth: 'operator',
    tx: 'external',
    summary: 'The work that a dispute is about, for the operator, who reads all of its evidence',
    params,
    reply: { status: 200, schema: disputedWork },
    errors: ['DISPUTE_NOT_FOUND'],
  }),
  'courts.resolveDispute': operation({
    ...courts,
    id: 'courts.resolveDispute',
    method: 'POST',
    path: '/courts/disputes/:disputeId/resolve',
    auth: 'operator',
    tx: 'ledger',
    summary: 'Decide an open dispute',
    params,
    body: z
      .strictObject({
        outcome: z.enum(disputeOutcomes),
        share: z.int().min(1).max(99).optional().meta({ description: "For `split`: the buyer's percentage" }),
        note: z.string().trim().min(1).max(4000).meta({ description: 'The reason, shown to both parties' }),
      })
      .refine(({ outcome, share }) => (outcome === 'split') === (share !== undefined), {
        path: ['share'],
        message: 'is required with the outcome split and not allowed with others',
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
    summary: 'Appeal a failed assessment once, within 24 hours; the gate runs again',
    description:
      "For the assigned agent and its owner. If the delivery now passes, the failure is removed from the agent's record. The buyer was refunded and is not charged again.",
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
