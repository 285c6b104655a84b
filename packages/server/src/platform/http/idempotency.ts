import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '@agora/contract';
import { ApiError, ensure } from '../api-error.ts';
import { type Queryable, row, rows } from '../db.ts';
import type { Claim } from '../idempotency-claims.ts';
import type { Caller } from './route.ts';

export interface StoredReply {
  status: number;
  body: string;
}

/** What is known of a claim: its reply, or that none was stored yet, or nothing at all. */
type Known = { reply: StoredReply } | { pending: true; subject: string | null; createdAt: string } | null;

/** A request's key, ready to claim. Replies are sealed with a key made of the raw header, which is never stored. */
export interface KeyedRequest {
  claim: Claim;
  seal: Buffer;
}

const hash = (...parts: string[]) => {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part).update('\0');
  return sum.digest();
};

const callerKey = (caller: Caller, requestHash: string) => {
  if (caller.kind === 'owner') return `owner:${caller.ownerId}`;
  if (caller.kind === 'agent') return `agent:${caller.agentId}`;
  // Strangers share no keys: whoever repeats a stranger's key must also repeat the whole request, password included.
  return `anonymous:${requestHash}`;
};

/** Reads `Idempotency-Key`; null where the request carries none. */
export function keyedRequest(
  header: string | string[] | undefined,
  operation: Operation,
  caller: Caller,
  request: { url: string; body: string; now: Date },
): KeyedRequest | null {
  if (header === undefined || operation.method === 'GET') return null;
  const valid = typeof header === 'string' && header.length >= 1 && header.length <= 255;
  ensure(valid, 'VALIDATION_ERROR', 'Idempotency-Key must have 1 to 255 characters.', {
    fields: [{ path: 'Idempotency-Key', message: 'must have 1 to 255 characters' }],
  });
  const requestHash = hash(request.url, request.body).toString('hex');
  const who = callerKey(caller, requestHash);
  return {
    claim: { id: hash(who, operation.id, header).toString('hex'), requestHash, at: request.now.toISOString() },
    seal: hash('seal', who, header),
  };
}

function sealReply(key: Buffer, reply: StoredReply): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(reply), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

function openReply(key: Buffer, sealed: Buffer): StoredReply {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(12, 28));
  return JSON.parse(Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8'));
}

/** Looks a claim up; the same key with another request is refused. */
export async function lookUp(db: Queryable, { claim, seal }: KeyedRequest): Promise<Known> {
  const found = await row<{ requestHash: string; reply: Buffer | null; subject: string | null; createdAt: string }>(
    db,
    'idempotency_look_up',
    `select encode(request_hash, 'hex') as "requestHash", reply, subject, created_at as "createdAt"
     from idempotency_keys where id = decode($1, 'hex')`,
    [claim.id],
  );
  if (!found) return null;
  ensure(found.requestHash === claim.requestHash, 'IDEMPOTENCY_KEY_REUSED');
  if (found.reply) return { reply: openReply(seal, found.reply) };
  return { pending: true, subject: found.subject, createdAt: found.createdAt };
}

/** Claims the key; false where somebody did before. Inside a transaction this waits for a concurrent twin's commit. */
export async function claimKey(db: Queryable, { claim }: KeyedRequest): Promise<boolean> {
  const made = await rows(
    db,
    'idempotency_claim_one',
    `insert into idempotency_keys (id, request_hash, created_at) values (decode($1, 'hex'), decode($2, 'hex'), $3)
     on conflict do nothing returning 1`,
    [claim.id, claim.requestHash, claim.at],
  );
  return made.length === 1;
}

/** Stores the reply; the first one stays. */
export const storeReply = (db: Queryable, { claim, seal }: KeyedRequest, reply: StoredReply) =>
  rows(
    db,
    'idempotency_store',
    `insert into idempotency_keys (id, request_hash, created_at, reply)
     values (decode($1, 'hex'), decode($2, 'hex'), $3, $4)
     on conflict (id) do update set reply = excluded.reply where idempotency_keys.reply is null`,
    [claim.id, claim.requestHash, claim.at, sealReply(seal, reply)],
  );

/** Gives a claim back whose request failed inside, so that a retry may do the work. */
export const dropClaim = (db: Queryable, { claim }: KeyedRequest) =>
  rows(db, 'idempotency_drop', `delete from idempotency_keys where id = decode($1, 'hex') and reply is null`, [
    claim.id,
  ]);

/** Takes over a claim whose process died before it answered. Only one taker succeeds. */
export async function takeOver(db: Queryable, { claim }: KeyedRequest, abandonedBefore: Date): Promise<boolean> {
  const taken = await rows(
    db,
    'idempotency_take_over',
    `update idempotency_keys set created_at = $2
     where id = decode($1, 'hex') and reply is null and created_at < $3 returning 1`,
    [claim.id, claim.at, abandonedBefore],
  );
  return taken.length === 1;
}

/** Waits for a twin that runs in another process. */
export async function awaitTwin(db: Queryable, request: KeyedRequest, timeoutMs: number): Promise<StoredReply> {
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += 100) {
    const known = await lookUp(db, request);
    if (known && 'reply' in known) return known.reply;
    await sleep(100);
  }
  throw new ApiError('NOT_READY', 'The first request with this Idempotency-Key is still running; try again.');
}

/** How long a key replays its first reply. */
const keptMs = 24 * 3600 * 1000;

/** Forgets keys past their time; safe to call at any moment. */
export const purgeKeys = (db: Queryable, now: Date) =>
  rows(
    db,
    'idempotency_purge',
    `delete from idempotency_keys where id in (
       select id from idempotency_keys where created_at < $1 order by created_at limit 1000 for update skip locked
     )`,
    [new Date(now.getTime() - keptMs).toISOString()],
  );
