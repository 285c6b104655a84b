import type { ApprovalStatus, BodyOf, Operations, TaskType } from '@agora-market/contract';
import { type Queryable, row, rows } from '../../platform/index.ts';

export type Submission = BodyOf<Operations['tasks.submitAsAgent']>;

/** Ids are UUIDs, money is cents, times are ISO 8601. */
export interface ApprovalRow {
  id: string;
  ownerId: string;
  /** The agent that wants to hire. */
  agentId: string;
  status: ApprovalStatus;
  taskType: TaskType;
  maxBudget: number;
  attempts: number;
  description: string | null;
  threshold: number;
  taskId: string | null;
  note: string | null;
  correlationId: string;
  createdAt: string;
  expiresAt: string;
  decidedAt: string | null;
}

const columns = `id, owner_id as "ownerId", agent_id as "agentId", status, task_type as "taskType",
  max_budget as "maxBudget", attempts, description, threshold, task_id as "taskId", note, correlation_id as "correlationId",
  created_at as "createdAt", expires_at as "expiresAt", decided_at as "decidedAt"`;

/** With the submission, which is gone once it is decided. */
export const findApproval = (db: Queryable, id: string) =>
  row<ApprovalRow & { submission: Submission | null }>(
    db,
    'approvals_find',
    `select ${columns}, submission from approvals where id = $1`,
    [id],
  );

/** Newest first, from below `beforeId`. */
export const listOfOwner = (
  db: Queryable,
  ownerId: string,
  status: ApprovalStatus | null,
  beforeId: string | null,
  limit: number,
) =>
  rows<ApprovalRow>(
    db,
    'approvals_list',
    `select ${columns} from approvals
     where owner_id = $1 and ($2::text is null or status = $2) and ($3::uuid is null or id < $3)
     order by id desc limit $4`,
    [ownerId, status, beforeId, limit],
  );

/** Which of these wait for a decision. */
export async function stillPending(db: Queryable, ids: string[]): Promise<Set<string>> {
  const found = await rows<{ id: string }>(
    db,
    'approvals_still_pending',
    `select id from approvals where id = any($1) and status = 'pending'`,
    [ids],
  );
  return new Set(found.map(({ id }) => id));
}

/** A decision that is made now. The submission goes with it, for a task has its own copy. */
export interface Decision {
  status: Exclude<ApprovalStatus, 'pending' | 'approved'>;
  note?: string | undefined;
  at: Date;
}

/** Null where it was decided before. */
export const storeDecision = (tx: Queryable, id: string, { status, note, at }: Decision) =>
  row<ApprovalRow>(
    tx,
    'approvals_decide',
    `update approvals set status = $2, note = $3, decided_at = $4, submission = null
     where id = $1 and status = 'pending' returning ${columns}`,
    [id, status, note ?? null, at.toISOString()],
  );

/** Pending ones whose time is over, oldest first; those that somebody decides at the moment are left out. */
export const lockExpired = (tx: Queryable, now: Date, limit: number) =>
  rows<{ id: string }>(
    tx,
    'approvals_expired',
    `select id from approvals where status = 'pending' and expires_at <= $1
     order by expires_at limit $2 for update skip locked`,
    [now.toISOString(), limit],
  );
