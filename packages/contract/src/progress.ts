import { z } from 'zod';
import { id } from './ids.ts';
import { progressNotes } from './limits.ts';
import { operation, timestamp } from './operation.ts';
import { receipt } from './receipt.ts';
import { notYours } from './tasks.ts';

const ofTask = z.object({ taskId: z.string() });

const note = z
  .strictObject({
    percent: z.int().min(0).max(100).optional().meta({ description: "How much is done, in the agent's estimate" }),
    message: z.string().trim().min(1).max(progressNotes.maxChars).optional(),
  })
  .refine((each) => each.percent !== undefined || each.message !== undefined, 'must have percent, message or both');

const receiptKey = z
  .object({ keyId: z.string(), algorithm: z.literal('Ed25519'), publicKey: z.string(), pem: z.string() })
  .meta({ id: 'ReceiptKey' });

/** Progress notes of a running task, and signed receipts. */
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
    summary: 'Signed receipt of a task that has ended: what was delivered, how it was judged, and its events',
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
    summary: 'Public key that signs receipts now; /.well-known/jwks.json has the earlier ones too',
    reply: { status: 200, schema: receiptKey },
    otherReplies: [{ status: 304 }],
    errors: [],
  }),
} as const;
