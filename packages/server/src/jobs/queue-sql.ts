import { type Clock, changedRows, hasCome, newUuid, type Queryable, row, rows } from '../platform/index.ts';
import type { JobKind } from './job-kind.ts';

interface NewJob<P> {
  key: string;
  payload: P;
  /** When it may run at the earliest. */
  at: Date;
}

/**
 * Queues a job in the transaction of the change that needs it. If a job with this key waits or runs, nothing is added.
 * A job that was given up starts again.
 */
export const enqueue = <P>(tx: Queryable, clock: Clock, kind: JobKind<P>, { key, payload, at }: NewJob<P>) =>
  rows(
    tx,
    'queued_jobs_enqueue',
    `insert into queued_jobs as j (id, kind, key, payload, due_at, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (kind, key) do update set payload = excluded.payload, due_at = excluded.due_at, attempts = 0, error = null
     where j.due_at is null`,
    [newUuid(clock), kind.name, key, JSON.stringify(payload), at.toISOString(), clock.now().toISOString()],
  );

/** Whether the job waits or runs. */
export const isQueued = async (db: Queryable, { name }: Pick<JobKind<never>, 'name'>, key: string): Promise<boolean> =>
  (await row(db, 'queued_jobs_find', 'select 1 from queued_jobs where kind = $1 and key = $2 and due_at is not null', [
    name,
    key,
  ])) !== null;

/** The work was done in another way. */
export const withdraw = (db: Queryable, { name }: Pick<JobKind<never>, 'name'>, key: string) =>
  rows(db, 'queued_jobs_withdraw', 'delete from queued_jobs where kind = $1 and key = $2', [name, key]);

/** Deletes jobs that were queued before then and given up; gives how many. */
export const forgetGivenUp = (db: Queryable, { name }: Pick<JobKind<never>, 'name'>, before: Date, limit: number) =>
  changedRows(
    db,
    'queued_jobs_forget',
    `delete from queued_jobs where id in (
       select id from queued_jobs where kind = $1 and due_at is null and created_at < $2 limit $3 for update skip locked
     )`,
    [name, before.toISOString(), limit],
  );

/** Lets jobs of a kind run again that were given up, as new ones; gives how many. */
export const retryGivenUp = (db: Queryable, kind: string, at: Date, limit: number) =>
  changedRows(
    db,
    'queued_jobs_retry',
    `update queued_jobs set due_at = $2, attempts = 0, error = null where id in (
       select id from queued_jobs where kind = $1 and due_at is null limit $3 for update skip locked
     )`,
    [kind, at.toISOString(), limit],
  );

export interface LeasedJob {
  id: string;
  key: string;
  payload: unknown;
  /** This run among those of the job, from 1. */
  attempts: number;
  /** Since when it could have been run. */
  dueAt: string;
}

export const dueJobs = (kind: string): string => hasCome('due_at', `queued_jobs where kind = '${kind}'`);

/** The job of the kind that has waited longest, for one server only until the lease ends. */
export const lease = (db: Queryable, kind: string, now: Date, leaseUntil: Date) =>
  row<LeasedJob>(
    db,
    'queued_jobs_lease',
    `with due as (
       select id, due_at from queued_jobs where kind = $1 and due_at <= $2 order by due_at limit 1 for update skip locked
     )
     update queued_jobs j set attempts = attempts + 1, due_at = $3 from due where j.id = due.id
     returning j.id, j.key, j.payload, j.attempts, due.due_at as "dueAt"`,
    [kind, now.toISOString(), leaseUntil.toISOString()],
  );

type Run = Pick<LeasedJob, 'id' | 'attempts'>;

/** The work of this run is done; nothing happens where another server has begun it again. */
export const finish = (db: Queryable, { id, attempts }: Run) =>
  rows(db, 'queued_jobs_finish', 'delete from queued_jobs where id = $1 and attempts = $2', [id, attempts]);

/** This run failed: it is due again then, or given up where `dueAt` is null. */
export const putOff = (db: Queryable, { id, attempts }: Run, dueAt: Date | null, error: string) =>
  rows(db, 'queued_jobs_put_off', 'update queued_jobs set due_at = $3, error = $4 where id = $1 and attempts = $2', [
    id,
    attempts,
    dueAt?.toISOString() ?? null,
    error,
  ]);

/** The queued jobs of a kind. */
export interface QueueState {
  kind: string;
  /** Jobs that wait or run. */
  open: number;
  givenUp: number;
  /** How long the job that waits longest could have been run. */
  lateMs: number;
}

export const queueStates = (db: Queryable, now: Date) =>
  rows<QueueState>(
    db,
    'queued_jobs_states',
    `select kind, count(due_at) as open, count(*) - count(due_at) as "givenUp",
       greatest(0, coalesce(extract(epoch from $1::timestamptz - min(due_at)) * 1000, 0))::bigint as "lateMs"
     from queued_jobs group by kind order by kind`,
    [now.toISOString()],
  );
