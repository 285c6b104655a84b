import { changedRows, defineLeasedShare, hasCome, type Queryable, row, rows } from '../platform/index.ts';
import type { Push } from './push-sql.ts';
import { holderOf, type StoredType } from './sql.ts';

/** Whether anybody wants to be told of anything. */
export const anyWebhook = async (db: Queryable): Promise<boolean> =>
  (await row<{ any: boolean }>(db, 'webhooks_any', 'select exists (select from webhooks where enabled) as "any"'))
    ?.any ?? false;

export interface Listener {
  id: string;
  holderId: string;
  events: string[];
  sequence: number;
  waiting: number;
}

/**
 * Enabled webhooks of agents and owners, and those about tasks and approvals, locked in the order that all take. Agents
 * and owners that are suspended see nothing. One about an approval goes on with the task that was let in. Where nobody
 * has one about anything, none is looked for.
 */
export const lockListeners = (tx: Queryable, holderIds: string[], abouts: string[]) =>
  rows<Listener>(
    tx,
    'webhooks_lock_listeners',
    `select w.id, coalesce(p.task_id, ${holderOf('w')}) as "holderId", w.events, w.sequence, w.waiting
     from webhooks w join owners o on o.id = w.owner_id left join agents a on a.id = w.agent_id
       left join approvals p on p.id = w.about
     where ${holderOf('w')} = any($1::uuid[] || array(
         select id from (select unnest($2::uuid[]) union all select id from approvals where task_id = any($2)) s(id)
         where exists (select from webhooks where about is not null)
       )) and w.enabled and o.status = 'active' and a.status is distinct from 'suspended'
     order by w.id for update of w`,
    [holderIds, abouts],
  );

export interface NewMessage {
  id: string;
  webhookId: string;
  sequence: number;
  type: StoredType;
  taskId: string | null;
  /** Of a message about no task. */
  eventSeq: number | null;
  at: string;
}

/** How far a locked webhook has come with its new messages; `added` of them wait. */
export interface Advance {
  id: string;
  sequence: number;
  added: number;
}

export const insertMessages = (
  tx: Queryable,
  messages: readonly NewMessage[],
  advances: readonly Advance[],
  now: Date,
) =>
  rows(
    tx,
    'webhook_deliveries_insert',
    `with advanced as (
       update webhooks w set sequence = a.sequence, waiting = w.waiting + a.added, nudges = w.nudges + 1, set_at = $10,
         next_at = case when w.held = 'round' then w.next_at else least(w.next_at, $10::timestamptz) end
       from unnest($7::uuid[], $8::bigint[], $9::int[]) as a(id, sequence, added) where w.id = a.id
     )
     insert into webhook_deliveries (id, webhook_id, sequence, type, task_id, created_at, event_seq)
     select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::uuid[], $6::timestamptz[], $11::bigint[])`,
    [
      messages.map(({ id }) => id),
      messages.map(({ webhookId }) => webhookId),
      messages.map(({ sequence }) => sequence),
      messages.map(({ type }) => type),
      messages.map(({ taskId }) => taskId),
      messages.map(({ at }) => at),
      advances.map(({ id }) => id),
      advances.map(({ sequence }) => sequence),
      advances.map(({ added }) => added),
      now.toISOString(),
      messages.map(({ eventSeq }) => eventSeq),
    ],
  );

/** An endpoint whose round is under way here until the lease ends. */
export interface Claimed {
  id: string;
  agentId: string | null;
  ownerId: string;
  about: string | null;
  push: Push | null;
  url: string;
  secret: Buffer;
  previousSecret: Buffer | null;
  rotatedAt: string | null;
  round: number;
  nudges: number;
  /** Pauses in a row. */
  failures: number;
  failingSince: string | null;
  /** While it is paused, messages that failed before wait until then. */
  pausedUntil: string | null;
  isPrompt: boolean;
}

/** Whether an endpoint has messages to send at the time `$1`. */
export const roundsDue = ['is_prompt', 'not is_prompt']
  .map((lane) => hasCome('next_at', `webhooks where enabled and ${lane}`))
  .join(' or ');

/** The statement for a lane. A round counts on whatever server it runs, and that of a server that ended until its lease ends. */
function claimOf(lane: 'prompt' | 'other') {
  const inLane = (webhook: string) => `${webhook}.is_prompt = ${lane === 'prompt'}`;
  const share = defineLeasedShare(`webhooks_rounds_${lane}`, {
    table: 'webhooks',
    isHeld: (webhook, now) => `${webhook}.held = 'round' and ${inLane(webhook)} and ${webhook}.next_at > ${now}`,
  });
  const sql = `with due as materialized (
      select w.id, w.owner_id, w.next_at as at from webhooks w
      where w.enabled and ${inLane('w')} and w.next_at <= $1 and w.owner_id not in (${share.full('$4', '$1')})
      order by w.next_at limit $3 for update skip locked
    ), taken as (${share.within('due', '$4', '$1')})
    update webhooks w set held = 'round', next_at = $2, set_at = $1, rounds = w.rounds + 1
    from taken where w.id = taken.id
    returning w.id, w.agent_id as "agentId", w.owner_id as "ownerId", w.about, w.push, w.url, w.secret,
      w.previous_secret as "previousSecret", w.rotated_at as "rotatedAt", w.rounds as round, w.nudges, w.failures,
      w.failing_since as "failingSince", case when w.paused_until > $1 then w.paused_until end as "pausedUntil", w.is_prompt as "isPrompt"`;
  return { name: `webhooks_claim_${lane}`, sql };
}

const claims = { prompt: claimOf('prompt'), other: claimOf('other') };

/** Endpoints of a lane that have waited longest for their round, of owners that have not got their share of such rounds. */
export function claimRounds(
  db: Queryable,
  { isPrompt }: { isPrompt: boolean },
  { now, leaseUntil, limit, share }: { now: Date; leaseUntil: Date; limit: number; share: number },
): Promise<Claimed[]> {
  const { name, sql } = claims[isPrompt ? 'prompt' : 'other'];
  return rows<Claimed>(db, name, sql, [now.toISOString(), leaseUntil.toISOString(), limit, share]);
}

export interface Message {
  id: string;
  webhookId: string;
  sequence: number;
  type: StoredType;
  taskId: string | null;
  eventSeq: number | null;
  attempts: number;
  createdAt: string;
}

/**
 * The messages of claimed endpoints that are due, so many of each at most; of a paused one only new messages are. `skewed`: an attempt after this time was made
 * before the clock was set back. A statement of its own, so that it sees what was committed before the claim.
 */
export const dueMessages = (
  db: Queryable,
  claimed: readonly { id: string; limit: number; pausedUntil: string | null }[],
  { now, skewed }: { now: Date; skewed: Date },
) =>
  rows<Message>(
    db,
    'webhook_deliveries_due',
    `select d.id, d.webhook_id as "webhookId", d.sequence, d.type, d.task_id as "taskId",
       d.event_seq as "eventSeq", d.attempts, d.created_at as "createdAt"
     from unnest($1::uuid[], $2::int[], $5::boolean[]) as c(id, most, is_paused)
     cross join lateral (
       select * from webhook_deliveries
       where webhook_id = c.id and status = 'pending' 
         and (due_at is null or not c.is_paused and (due_at <= $3 or attempted_at > $4))
       order by due_at nulls first, sequence limit c.most
     ) d`,
    [
      claimed.map(({ id }) => id),
      claimed.map(({ limit }) => limit),
      now.toISOString(),
      skewed.toISOString(),
      claimed.map(({ pausedUntil }) => pausedUntil !== null),
    ],
  );

/** When the next message of each endpoint is due of those that are not yet. */
export const nextDue = (db: Queryable, ids: readonly string[], now: Date) =>
  rows<{ id: string; dueAt: string }>(
    db,
    'webhook_deliveries_next',
    `select c.id, d.due_at as "dueAt" from unnest($1::uuid[]) as c(id)
     cross join lateral (
       select due_at from webhook_deliveries
       where webhook_id = c.id and status = 'pending' and due_at > $2 order by due_at limit 1
     ) d`,
    [ids, now.toISOString()],
  );

/** How many other messages of an endpoint failed since a time and wait for their next attempt; `most` stands for more. */
export const countFailing = async (
  db: Queryable,
  webhookId: string,
  { since, but, most }: { since: string; but: readonly string[]; most: number },
): Promise<number> =>
  (
    await row<{ count: number }>(
      db,
      'webhook_deliveries_failing',
      `select count(*)::int as count from (
         select from webhook_deliveries where webhook_id = $1 and status = 'pending' and due_at is not null
           and attempted_at >= $2 and id <> all($3::uuid[]) limit $4
       ) d`,
      [webhookId, since, but, most],
    )
  )?.count ?? 0;

/** What became of one attempt. */
export interface AttemptResult {
  id: string;
  status: 'pending' | 'delivered' | 'failed';
  dueAt: Date | null;
  at: Date;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  excerpt: string | null;
}

/** How a round ended. */
export interface RoundResult {
  id: string;
  round: number;
  nudges: number;
  finished: number;
  nextAt: Date | null;
  failures: number;
  failingSince: string | null;
  pausedUntil: string | null;
  isPrompt: boolean;
}

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** Stores attempts and ends of rounds, any number of them, in one statement. */
export const storeResults = (
  db: Queryable,
  attempts: readonly AttemptResult[],
  ends: readonly RoundResult[],
  now: Date,
) =>
  rows(
    db,
    'webhooks_store_results',
    `with attempted as (
       update webhook_deliveries d set status = a.status, attempts = d.attempts + 1, due_at = a.due_at,
         attempted_at = a.at, duration_ms = a.ms, status_code = a.code, error = a.error, excerpt = a.excerpt
       from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::int[], $6::int[], $7::text[], $8::text[])
         as a(id, status, due_at, at, ms, code, error, excerpt)
       where d.id = a.id
     ), ended as materialized (
       select * from unnest($9::uuid[], $10::bigint[], $11::bigint[], $12::int[], $13::timestamptz[],
         $14::int[], $15::timestamptz[], $16::timestamptz[], $17::boolean[])
         as e(id, round, nudges, finished, next_at, failures, failing_since, paused_until, prompt)
     ), locked as materialized (
       select w.id from webhooks w join ended e on e.id = w.id order by w.id for update of w
     )
     update webhooks w set waiting = greatest(0, w.waiting - e.finished),
       next_at = case when w.rounds <> e.round then w.next_at when w.nudges <> e.nudges then $18
         else e.next_at end,
       set_at = $18,
       held = case when w.rounds <> e.round then w.held end,
       failures = case when w.rounds <> e.round then w.failures else e.failures end,
       failing_since = case when w.rounds <> e.round then w.failing_since else e.failing_since end,
       paused_until = case when w.rounds <> e.round then w.paused_until else e.paused_until end,
       is_prompt = e.prompt
     from ended e, locked l where w.id = e.id and l.id = e.id`,
    [
      attempts.map(({ id }) => id),
      attempts.map(({ status }) => status),
      attempts.map(({ dueAt }) => iso(dueAt)),
      attempts.map(({ at }) => iso(at)),
      attempts.map(({ durationMs }) => durationMs),
      attempts.map(({ statusCode }) => statusCode),
      attempts.map(({ error }) => error),
      attempts.map(({ excerpt }) => excerpt),
      ends.map(({ id }) => id),
      ends.map(({ round }) => round),
      ends.map(({ nudges }) => nudges),
      ends.map(({ finished }) => finished),
      ends.map(({ nextAt }) => iso(nextAt)),
      ends.map(({ failures }) => failures),
      ends.map(({ failingSince }) => failingSince),
      ends.map(({ pausedUntil }) => pausedUntil),
      ends.map(({ isPrompt }) => isPrompt),
      now.toISOString(),
    ],
  );

/** Endpoints whose time was written before the clock was set back are due now. */
export const mendTimes = (db: Queryable, now: Date, skewed: Date) =>
  changedRows(
    db,
    'webhooks_mend_times',
    `update webhooks set next_at = $1, set_at = $1, held = null, paused_until = null
     where enabled and next_at > $1 and set_at > $2`,
    [now.toISOString(), skewed.toISOString()],
  );

/** Deletes messages made before a time, of which `firstId` is a lower bound of later ones (UUIDv7); gives how many. */
export const forgetOld = (db: Queryable, firstId: string, limit: number) =>
  changedRows(
    db,
    'webhook_deliveries_forget_old',
    `with old as (
       select id from webhook_deliveries where id < $1 order by id limit $2 for update skip locked
     ), gone as (
       delete from webhook_deliveries d using old where d.id = old.id returning d.webhook_id, d.status
     ), counted as (
       update webhooks w set waiting = greatest(0, w.waiting - g.count)
       from (select webhook_id, count(*) from gone where status = 'pending' group by webhook_id) g where w.id = g.webhook_id
     )
     select from gone`,
    [firstId, limit],
  );

/** Deletes finished messages beyond the last `kept` of each webhook; gives how many webhooks it looked at. */
export const forgetSurplus = (db: Queryable, kept: number, limit: number) =>
  changedRows(
    db,
    'webhook_deliveries_forget_surplus',
    `with full_ones as (
       select id, sequence - $1::bigint as until from webhooks where sequence - forgotten > $1::bigint + 100 limit $2
       for update skip locked
     ), gone as (
       delete from webhook_deliveries d using full_ones f
       where d.webhook_id = f.id and d.sequence <= f.until and d.status <> 'pending'
     )
     update webhooks w set forgotten = f.until from full_ones f where w.id = f.id`,
    [kept, limit],
  );
