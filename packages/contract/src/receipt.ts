import { z } from 'zod';
import { proofs } from './courts.ts';
import { eventRecord } from './event-record.ts';
import { id } from './ids.ts';
import { timestamp } from './operation.ts';
import { taskStatuses } from './task-states.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The kind of statement that a receipt is, of which in-toto says nothing more. It names the kind and leads nowhere. */
export const receiptPredicateType = 'urn:agora:task-receipt:v1';

/** The media type of an in-toto statement, as the header of a JWS writes it (RFC 7515, 4.1.10). */
export const inTotoType = 'vnd.in-toto+json';

const check = z.object({
  name: z.string(),
  score: z.int().min(0).max(100).nullable().meta({ description: 'null: not run' }),
  weight: z.number(),
});

/** What a receipt's signature covers: an in-toto Statement v1 (https://in-toto.io/Statement/v1). */
export const receiptStatement = z.object({
  _type: z.literal('https://in-toto.io/Statement/v1'),
  /** What was delivered: the artifacts, or else the output; of a task without a delivery its events. */
  subject: z.array(z.object({ name: z.string(), digest: z.object({ sha256 }) })).min(1),
  predicateType: z.literal(receiptPredicateType),
  predicate: z.object({
    issuer: z.string(),
    issuedAt: timestamp,
    task: z.object({
      id: id('task'),
      type: z.string(),
      status: z.enum(taskStatuses),
      agentId: id('agent').nullable(),
      createdAt: timestamp,
      finishedAt: timestamp.nullable(),
    }),
    /** How the delivery was judged; null if nothing was delivered. */
    assessment: z
      .object({
        id: id('assessment'),
        score: z.int().min(0).max(100),
        passed: z.boolean(),
        checks: z.array(check),
        proof: z.enum(proofs).nullable().optional(),
        judge: z.object({ status: z.string(), model: z.string().nullable(), score: z.int().nullable() }).nullable(),
        createdAt: timestamp,
      })
      .nullable(),
    /** The hash chain over the events: how many there are, and the last hash. */
    events: z.object({ count: z.int().min(1), head: sha256 }),
    versions: z.object({ agora: z.string() }),
  }),
});
export type ReceiptStatement = z.output<typeof receiptStatement>;

export const receipt = z
  .object({
    format: z.literal('agora-receipt-2'),
    jws: z.string().meta({
      description:
        'JWS in compact form (RFC 7515) over an in-toto Statement v1: what was delivered, how it was judged, how the task ended. Its key is in /.well-known/jwks.json',
    }),
    entries: z.array(z.object({ number: z.int().min(1), event: eventRecord, hash: sha256 })).meta({
      description:
        'The events, which the JWS covers by their count and last hash. In hex: sha256(previous hash, or sha256(taskId) for the first; "\\n"; canonical JSON (RFC 8785) of { number, event })',
    }),
  })
  .meta({ id: 'Receipt' });
export type Receipt = z.output<typeof receipt>;
