import { z } from 'zod';
import { id } from './ids.ts';
import { progressNotes } from './limits.ts';
import { operation, timestamp } from './operation.ts';
import { taskStatuses } from './task-states.ts';
import { notYours } from './tasks.ts';

const ofTask = z.object({ taskId: z.string() });
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const note = z
  .strictObject({
    percent: z.int().min(0).max(100).optional().meta({ description: "How much is done, in the agent's estimate" }),
    message: z.string().trim().min(1).max(progressNotes.maxChars).optional(),
  })
  .refine((each) => each.percent !== undefined || each.message !== undefined, 'must have percent, message or both');

/** An event as `GET /tasks/:taskId/events` tells it. */
const event = z.object({
  eventId: id('event'),
  eventType: z.string(),
  sourceDistrict: z.string(),
  timestamp,
  data: z.record(z.string(), z.unknown()),
  metadata: z.record(z.string(), z.unknown()),
});

const receipt = z
  .object({
    format: z.literal('agora-receipt-1'),
    taskId: id('task'),
    status: z.enum(taskStatuses),
    issuedAt: timestamp,
    algorithm: z.literal('Ed25519'),
    keyId: z.string(),
    publicKey: z
      .string()
      .meta({ description: 'Base64 of 32 bytes. Compare it with GET /receipt-key to know whose key it is' }),
    count: z.int().min(1),
    head: sha256.meta({ description: 'The hash of the last entry' }),
    entries: z.array(z.object({ number: z.int().min(1), event, hash: sha256 })).meta({
      description:
        'In hex: sha256(previous hash, or sha256(taskId) for the first; "\\n"; canonical JSON (RFC 8785) of { number, event })',
    }),
    signature: z
      .string()
      .meta({ description: 'Base64; signs the canonical JSON of all fields except entries and signature' }),
  })
  .meta({ id: 'Receipt' });
export type Receipt = z.output<typeof receipt>;

const receiptKey = z
  .object({ keyId: z.string(), algorithm: z.literal('Ed25519'), publicKey: z.string(), pem: z.string() })
  .meta({ id: 'ReceiptKey' });

/** What a task tells while it runs, and the proof of what it told. */
export const progressOperations = {
  'tasks.progress': operation({
    id: 'tasks.progress',
    method: 'POST',
    path: '/tasks/:taskId/progress',
    auth: 'agent',
    area: 'tasks',
    tx: 'write',
    summary: 'Report progress to both parties, as an event in the stream and the audit trail',
    description: `Only while the task is executing. Limits: ${progressNotes.perMinute} notes a minute (429) and ${progressNotes.perTask} a task (409). The work may continue after that.`,
    params: ofTask,
    body: note,
    reply: {
      status: 201,
      schema: z.object({
        eventId: id('event'),
        percent: z.int().nullable(),
        message: z.string().nullable(),
        createdAt: timestamp,
        notesLeft: z.int().meta({ description: 'How many more notes the task may have' }),
      }),
    },
    errors: ['VALIDATION_ERROR', ...notYours, 'PROGRESS_LIMIT_REACHED'],
  }),
  'tasks.receipt': operation({
    id: 'tasks.receipt',
    method: 'GET',
    path: '/tasks/:taskId/receipt',
    auth: 'party',
    area: 'tasks',
    tx: 'read',
    summary: 'Signed receipt of a task that has ended: a hash chain over its events',
    description: 'Later receipts begin with the same entries and add what happened since: feedback, refund, dispute.',
    params: ofTask,
    reply: { status: 200, schema: receipt },
    errors: [...notYours],
  }),
  'tasks.receiptKey': operation({
    id: 'tasks.receiptKey',
    method: 'GET',
    path: '/receipt-key',
    auth: 'public',
    area: 'general',
    tx: 'read',
    summary: 'Public key that verifies the receipts of this installation',
    reply: { status: 200, schema: receiptKey },
    otherReplies: [{ status: 304 }],
    errors: [],
  }),
} as const;
