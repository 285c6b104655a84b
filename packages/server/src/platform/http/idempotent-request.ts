import { createHash } from 'node:crypto';
import type { Operation } from '@agora-market/contract';
import { ApiError, ensure } from '../api-error.ts';
import type { Claim } from '../steps/idempotency-claims.ts';
import type { Encryption } from './encryption.ts';
import type { Caller } from './route.ts';

export interface StoredReply {
  status: number;
  body: string;
  /** Those that the rule has set. */
  headers?: Record<string, string>;
}

/**
 * A request's key, ready to claim. Replies are encrypted with a key derived from the server's secret and the raw
 * header; neither is in the database.
 */
export interface IdempotentRequest {
  claim: Claim;
  /** When it came in, by the clock that only measures durations. */
  since: number;
  /** The operation can rebuild its reply from the subject of the claim. */
  rebuilds: boolean;
  encryption: Encryption;
  replyKey: Buffer;
}

/**
 * Largest kept reply in bytes. Only replies that repeat the caller's input or a command's output are larger. A caller
 * could fill the disk with them.
 */
const maxKeptReplyBytes = 64 * 1024;

/** The kept part of a reply: all of it, or only that it was too large. */
type Kept = StoredReply | { status: number; omittedBytes: number };

/** Errors that the same request need not get again. */
const notKept = new Set([
  'IDEMPOTENCY_KEY_REUSED',
  'RATE_LIMITED',
  'SANDBOX_LOST',
  'STORAGE_QUOTA_REACHED',
  'DRY_RUN_IN_PROGRESS',
  'TOP_UP_IN_PROGRESS',
  'TOP_UP_HELD',
  'EMAIL_NOT_VERIFIED',
  'REFUND_IN_PROGRESS',
  'RECONCILIATION_IN_PROGRESS',
]);

/** A refusal as a reply to keep; null for any other failure. */
export const refusalOf = (error: unknown): StoredReply | null =>
  error instanceof ApiError && error.status < 500 && !notKept.has(error.code)
    ? { status: error.status, body: JSON.stringify(error.body()) }
    : null;

const hash = (...parts: string[]) => {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part).update('\0');
  return sum.digest();
};

const callerKey = (caller: Caller, requestHash: string) => {
  if (caller.kind === 'owner') return `owner:${caller.ownerId}`;
  if (caller.kind === 'agent') return `agent:${caller.agentId}`;
  if (caller.kind === 'trust') return `trust:${caller.keyId}`;
  if (caller.kind === 'operator') return 'operator';
  // Strangers share no keys: to repeat a stranger's key, one must repeat the whole request, password included.
  return `anonymous:${requestHash}`;
};

/** Reads `Idempotency-Key`; null if the request carries none. */
export function idempotentRequest(
  encryption: Encryption,
  header: string | string[] | undefined,
  operation: Operation,
  caller: Caller,
  request: { url: string; body: string; now: Date },
): IdempotentRequest | null {
  if (header === undefined || operation.method === 'GET') return null;
  const valid = typeof header === 'string' && header.length >= 1 && header.length <= 255;
  ensure(valid, 'VALIDATION_ERROR', 'Idempotency-Key must have 1 to 255 characters.', {
    fields: [{ path: 'Idempotency-Key', message: 'must have 1 to 255 characters' }],
  });
  // A stranger's body holds a password, which a plain hash would let readers of the database try out at full speed.
  const digest = caller.kind === 'anonymous' ? encryption.digest : hash;
  const requestHash = digest(request.url, request.body).toString('hex');
  const who = callerKey(caller, requestHash);
  return {
    claim: { id: hash(who, operation.id, header).toString('hex'), requestHash, at: request.now.toISOString() },
    since: performance.now(),
    rebuilds: operation.tx === 'step',
    encryption,
    replyKey: encryption.digest('seal', who, header),
  };
}

/** The reply as it is kept. */
export function encryptReply({ encryption, replyKey }: IdempotentRequest, reply: StoredReply): Buffer {
  const bytes = Buffer.byteLength(reply.body);
  const kept: Kept = bytes > maxKeptReplyBytes ? { status: reply.status, omittedBytes: bytes } : reply;
  return encryption.encrypt(replyKey, JSON.stringify(kept));
}

/** The kept reply. If there is none, null if it can be rebuilt, and a refusal otherwise. */
export function decryptReply(
  { encryption, replyKey }: IdempotentRequest,
  encrypted: Buffer,
  canRebuild: boolean,
): StoredReply | null {
  const text = encryption.decrypt(replyKey, encrypted);
  const kept = text === null ? null : (JSON.parse(text) as Kept);
  if (kept && 'body' in kept) return kept;
  if (canRebuild) return null;
  const done = 'A request with this Idempotency-Key was already answered and was not run again';
  if (!kept) {
    throw new ApiError(
      'REPLY_UNAVAILABLE',
      `${done}. This server's AGORA_ENCRYPTION_KEY cannot decrypt the reply. Read the state. Only if nothing changed, send the request with another Idempotency-Key.`,
      { reason: 'sealed_with_another_key' },
    );
  }
  throw new ApiError(
    'REPLY_UNAVAILABLE',
    `${done}. Its reply of ${kept.omittedBytes} bytes was too large to keep. Read the state instead.`,
    { reason: 'too_large', status: kept.status, sizeBytes: kept.omittedBytes, maxBytes: maxKeptReplyBytes },
  );
}

/** When it is now, as the clock goes by which the request came in. */
export const nowOf = ({ claim, since }: IdempotentRequest) =>
  new Date(Date.parse(claim.at) + performance.now() - since);
