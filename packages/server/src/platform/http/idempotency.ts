import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ensure } from '../api-error.ts';
import { hasCome } from '../jobs.ts';
import { changedRows, type Queryable, row, rows } from '../postgres/db.ts';
import {
  decryptReply,
  encryptReply,
  type IdempotentRequest,
  nowOf,
  refusalOf,
  type StoredReply,
} from './idempotent-request.ts';

/** State of a claim: its reply, no reply yet, or unknown. */
type Known = { reply: StoredReply } | Pending | null;

interface Pending {
  subject: string | null;
  /** A reply may still come: none is stored, and the key was claimed a moment ago. */
  isFresh: boolean;
}

interface Stored {
  requestHash: string;
  reply: Buffer | null;
  subject: string | null;
  erased: boolean;
  claimedAt: string;
}

/** Looks a claim up; the same key with another request is refused. */
export async function lookUp(db: Queryable, keyed: IdempotentRequest): Promise<Known> {
  const { claim } = keyed;
  const found = await row<Stored>(
    db,
    'idempotency_look_up',
    `select encode(request_hash, 'hex') as "requestHash", reply, subject, erased, created_at as "claimedAt"
     from idempotency_keys where id = decode($1, 'hex')`,
    [claim.id],
  );
  if (!found) return null;
  ensure(found.requestHash === claim.requestHash, 'IDEMPOTENCY_KEY_REUSED');
  if (found.erased && !keyed.rebuilds) {
    throw new ApiError(
      'REPLY_UNAVAILABLE',
      'A request with this Idempotency-Key was already answered. Its reply was erased with the input of the task, and it was not run again.',
      { reason: 'erased' },
    );
  }
  const reply = found.reply && decryptReply(keyed, found.reply, keyed.rebuilds && found.subject !== null);
  if (reply) return { reply };
  const age = nowOf(keyed).getTime() - Date.parse(found.claimedAt);
  return { subject: found.subject, isFresh: found.reply === null && !found.erased && age < stepTimeMs };
}

/** How long a step's process takes from its claim to its reply, at most: a delivery waits for the gate in between. */
const stepTimeMs = 6_000;

/** State of the claim after the step's process, perhaps another one, has stored its reply or had the time to. */
export async function awaitReply(db: Queryable, keyed: IdempotentRequest): Promise<Known> {
  for (let waitedMs = 0; ; waitedMs += 100) {
    const known = await lookUp(db, keyed);
    if (!known || 'reply' in known || !known.isFresh || waitedMs >= stepTimeMs) return known;
    await sleep(100);
  }
}

/**
 * Claims the key, with the reply where there is one already; false if somebody did before. Inside a transaction this
 * waits for a concurrent twin's commit.
 */
export async function claimKey(db: Queryable, keyed: IdempotentRequest, reply?: StoredReply): Promise<boolean> {
  const { claim } = keyed;
  const made = await rows(
    db,
    'idempotency_claim_one',
    `insert into idempotency_keys (id, request_hash, created_at, reply) values (decode($1, 'hex'), decode($2, 'hex'), $3, $4)
     on conflict do nothing returning 1`,
    [claim.id, claim.requestHash, claim.at, reply ? encryptReply(keyed, reply) : null],
  );
  return made.length === 1;
}

/** Stores the reply. The first one stays, and is given. */
export async function storeReply(db: Queryable, keyed: IdempotentRequest, reply: StoredReply): Promise<StoredReply> {
  const stored = await rows(
    db,
    'idempotency_store',
    `insert into idempotency_keys (id, request_hash, created_at, reply)
     values (decode($1, 'hex'), decode($2, 'hex'), $3, $4)
     on conflict (id) do update set reply = excluded.reply where idempotency_keys.reply is null and not idempotency_keys.erased returning 1`,
    [keyed.claim.id, keyed.claim.requestHash, keyed.claim.at, encryptReply(keyed, reply)],
  );
  const known = stored.length === 0 ? await lookUp(db, keyed) : null;
  return known && 'reply' in known ? known.reply : reply;
}

/** How often a running request says that it lives, and after which silence its process is taken for dead. */
const renewEveryMs = 2_000;
const abandonedAfterMs = 10_000;

/**
 * Does the work of a claim and says all the while that it is being done. Where that fails inside, a retry may do it at
 * once, under the same subject.
 */
export async function whileClaimed<R>(db: Queryable, keyed: IdempotentRequest, work: () => Promise<R>): Promise<R> {
  const renew = (at: Date | null) =>
    rows(
      db,
      'idempotency_renew',
      `update idempotency_keys set alive_at = $2 where id = decode($1, 'hex') and reply is null`,
      [keyed.claim.id, at?.toISOString() ?? null],
    );
  // A database that is away for a moment must not end the work; the next renewal will do.
  const timer = setInterval(() => void renew(nowOf(keyed)).catch(() => undefined), renewEveryMs);
  try {
    return await work();
  } catch (error) {
    clearInterval(timer);
    if (refusalOf(error) === null) await renew(null).catch(() => undefined);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/**
 * Claims the key for work that needs more than one transaction, or takes the claim over from a process that died or
 * failed. Gives the subject under which to work, the first try's; null if another works on it or has ended it.
 */
async function claimWork(db: Queryable, keyed: IdempotentRequest, taskId: string | null): Promise<string | null> {
  const now = nowOf(keyed);
  const { claim } = keyed;
  const mine = await row<{ subject: string }>(
    db,
    'idempotency_claim_work',
    `insert into idempotency_keys as k (id, request_hash, created_at, subject, alive_at, task_id)
     values (decode($1, 'hex'), decode($2, 'hex'), $3, $4, $5, $7)
     on conflict (id) do update set alive_at = excluded.alive_at
     where k.reply is null and not k.erased and k.request_hash = excluded.request_hash and (k.alive_at is null or k.alive_at < $6)
     returning subject`,
    [
      claim.id,
      claim.requestHash,
      claim.at,
      randomUUID(),
      now.toISOString(),
      new Date(now.getTime() - abandonedAfterMs).toISOString(),
      taskId,
    ],
  );
  return mine?.subject ?? null;
}

/** An agent that sends one request twice at once makes it so. */
export const stillRunning = () =>
  new ApiError(
    'NOT_READY',
    'The first request with this Idempotency-Key is still running. Try again.',
    {},
    { isOurs: false },
  );

/**
 * Waits for a twin that runs in another process: its reply, or the subject where the work is the caller's to do.
 * `taskId` names the task that the work is about, if any.
 */
export async function awaitTurn(
  db: Queryable,
  keyed: IdempotentRequest,
  taskId: string | null,
  timeoutMs: number,
): Promise<{ reply: StoredReply } | { subject: string }> {
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += 100) {
    const subject = await claimWork(db, keyed, taskId);
    if (subject !== null) return { subject };
    const known = await lookUp(db, keyed);
    if (known && 'reply' in known) return known;
    await sleep(100);
  }
  throw stillRunning();
}

/** How long a key replays its first reply. */
const keptMs = 24 * 3600 * 1000;
/** For this long a request without a reply can be repeated and finds what its first try made. */
const unansweredKeptMs = 30 * keptMs;

export const keysDue = hasCome('created_at', 'idempotency_keys', keptMs);

/** Forgets keys past their time; safe to call at any moment. */
export const purgeKeys = (db: Queryable, now: Date, limit: number) =>
  changedRows(
    db,
    'idempotency_purge',
    `delete from idempotency_keys where id in (
       select id from idempotency_keys where created_at < $1 and (alive_at is null or alive_at < $1)
         and (reply is not null or erased or created_at < $2)
       order by created_at limit $3 for update skip locked
     )`,
    [...[keptMs, unansweredKeptMs].map((ms) => new Date(now.getTime() - ms).toISOString()), limit],
  );

/** Erases the replies of steps and sandboxes of tasks. A repeated request still learns that it was answered. */
export const eraseReplies = (db: Queryable, taskIds: string[]) =>
  rows(
    db,
    'idempotency_erase',
    'update idempotency_keys set reply = null, erased = true where coalesce(task_id, subject) = any($1::uuid[])',
    [taskIds],
  );
