import type { PullRequestReason, PullRequestView } from '@agora-market/contract';
import { type Queryable, row, rows } from '../../platform/index.ts';
import { uncounted } from '../storage-sql.ts';
import type { PreparedPull } from './prepare.ts';

/** Stores what was prepared, once: what is there already stays. */
export const storePrepared = (
  tx: Queryable,
  taskId: string,
  { wanted, objectId, sizeBytes, reason }: PreparedPull,
  store: string | null,
  at: Date,
) =>
  rows(
    tx,
    'pull_requests_store',
    `insert into pull_requests (task_id, wanted, object_id, size_bytes, store, reason, due_at, created_at)
     select id, $2, $3, $4, $5, $6, $7, $7 from tasks where id = $1 on conflict (task_id) do nothing`,
    [taskId, JSON.stringify(wanted), objectId, sizeBytes, store, reason, at.toISOString()],
  );

/** A pull request that is due, for one server only until its lease ends. */
export interface DuePull {
  taskId: string;
  ownerId: string;
  wanted: PreparedPull['wanted'];
  objectId: string | null;
  reason: PullRequestReason | null;
  createdAt: string;
  /** This try among those of the pull request, from 1. */
  attempts: number;
}

/**
 * The one that has waited longest, of an owner that is not among `busy`. Its changes are where this server looks, or the
 * server that has them has left them for an hour.
 */
export const leasePull = (
  db: Queryable,
  { now, leaseUntil, store, busy }: { now: Date; leaseUntil: Date; store: string; busy: string[] },
) =>
  row<DuePull>(
    db,
    'pull_requests_lease',
    `with due as (
       select p.task_id, t.owner_id from pull_requests p join tasks t on t.id = p.task_id
       where p.due_at <= $1 and (t.status = 'completed' or t.accepted_at is not null) and t.owner_id <> all($4::uuid[])
         and (p.store is null or p.store = $3 or p.due_at < $1::timestamptz - interval '1 hour')
       order by p.due_at limit 1 for update of p skip locked)
     update pull_requests p set attempts = attempts + 1, due_at = $2 from due where p.task_id = due.task_id
     returning p.task_id as "taskId", due.owner_id as "ownerId", p.wanted, p.object_id as "objectId", p.reason,
       p.attempts, p.created_at as "createdAt"`,
    [now.toISOString(), leaseUntil.toISOString(), store, busy],
  );

type Try = Pick<DuePull, 'taskId' | 'attempts'>;

export const putOffPull = (db: Queryable, { taskId, attempts }: Try, dueAt: Date) =>
  rows(db, 'pull_requests_put_off', 'update pull_requests set due_at = $3 where task_id = $1 and attempts = $2', [
    taskId,
    attempts,
    dueAt.toISOString(),
  ]);

/**
 * Keeps the commit that was made, of which the verdict is told: its branch may move on. Also where another server has begun a
 * later try, which may find the pull request and not the commit.
 */
export const keepCommit = (db: Queryable, taskId: string, commit: string) =>
  rows(db, 'pull_requests_keep_commit', 'update pull_requests set commit_id = $2 where task_id = $1', [taskId, commit]);

export type PullEnd =
  | { status: 'opened'; url: string }
  | { status: 'failed'; reason: PullRequestReason; said: string | null };

/** Locks a pull request for the end of this try; false where another server has begun a later one. */
export const lockPull = async (tx: Queryable, { taskId, attempts }: Try): Promise<boolean> =>
  (await row(
    tx,
    'pull_requests_lock',
    'select 1 from pull_requests where task_id = $1 and attempts = $2 and due_at is not null for update',
    [taskId, attempts],
  )) !== null;

export const endPull = (tx: Queryable, taskId: string, end: PullEnd) =>
  rows(
    tx,
    'pull_requests_end',
    `update pull_requests set status = $2, url = $3, reason = $4, said = $5, due_at = null, object_id = null, wanted = null
     where task_id = $1`,
    [taskId, end.status, ...(end.status === 'opened' ? [end.url, null, null] : [null, end.reason, end.said])],
  );

/** Those of tasks that were not paid in the end: failed work may be accepted until `failedBefore` has passed. */
export const unpaidPulls = (tx: Queryable, failedBefore: Date, limit: number) =>
  rows<{ taskId: string; objectId: string | null }>(
    tx,
    'pull_requests_unpaid',
    `select p.task_id as "taskId", p.object_id as "objectId" from pull_requests p join tasks t on t.id = p.task_id
     where p.due_at is not null and (t.status = 'refunded'
         or t.status = 'failed' and t.accepted_at is null and t.finished_at < $1)
     limit $2 for update of p skip locked`,
    [failedBefore.toISOString(), limit],
  );

export const deletePulls = (tx: Queryable, taskIds: string[]) =>
  rows(tx, 'pull_requests_delete', 'delete from pull_requests where task_id = any($1::uuid[])', [taskIds]);

/** Subtracts the stored changes from the bytes of their tasks; before their rows change. */
export const uncountChanges = (tx: Queryable, taskIds: string[]) =>
  rows(
    tx,
    'pull_requests_uncount',
    `with gone as materialized (
       select task_id, size_bytes, null as dropped from pull_requests
       where task_id = any($1::uuid[]) and object_id is not null
     ) ${uncounted}`,
    [taskIds],
  );

export interface PullState extends Pick<PullRequestView, 'status' | 'url' | 'reason'> {
  taskId: string;
  said: string | null;
}

export const pullStates = (db: Queryable, taskIds: string[]) =>
  rows<PullState>(
    db,
    'pull_requests_states',
    `select task_id as "taskId", status, url, reason, said from pull_requests where task_id = any($1::uuid[])`,
    [taskIds],
  );

/** Of the given objects, those that a pull request needs. */
export const changeObjects = async (db: Queryable, ids: string[]): Promise<Set<string>> => {
  const found = await rows<{ id: string }>(
    db,
    'pull_requests_objects',
    'select object_id as id from pull_requests where object_id = any($1::uuid[])',
    [ids],
  );
  return new Set(found.map(({ id }) => id));
};
