import type { TaskStatus } from '@agora-market/contract';
import { type Queryable, row, rows } from '../../platform/index.ts';
import type { Parties } from '../parties.ts';
import { isLeasable, type Lease } from '../runs.ts';

/** A verdict of the gate and the task that it ended. */
export interface AppealableRow extends Parties {
  taskId: string;
  passed: boolean;
  isVerdict: boolean;
  isAccepted: boolean;
  status: TaskStatus;
  judgedAt: string;
  inputExpiresAt: string | null;
  correlationId: string;
}

export const appealable = (db: Queryable, assessmentId: string) =>
  row<AppealableRow>(
    db,
    'appeals_of',
    `select a.task_id as "taskId", a.passed, t.assessment_id is not distinct from a.id as "isVerdict", t.status,
       t.accepted_at is not null as "isAccepted",
       a.created_at as "judgedAt", t.input_expires_at as "inputExpiresAt", t.correlation_id as "correlationId",
       t.owner_id as "ownerId", t.submitter_agent_id as "submitterAgentId", t.agent_id as "agentId",
       g.owner_id as "sellerId"
     from assessments a join tasks t on t.id = a.task_id join agents g on g.id = t.agent_id where a.id = $1 for update of t`,
    [assessmentId],
  );

export interface AppealRow {
  assessmentId: string;
  taskId: string;
  agentId: string;
  /** The owner that had bought the task. */
  ownerId: string;
  status: 'pending' | 'upheld' | 'rejected';
  reason: string | null;
  resultId: string | null;
  attempts: number;
  correlationId: string;
  createdAt: string;
  decidedAt: string | null;
}

const columns = `p.assessment_id as "assessmentId", p.task_id as "taskId", p.agent_id as "agentId",
  (select owner_id from tasks where id = p.task_id) as "ownerId", p.status, p.reason,
  p.result_id as "resultId", p.attempts, p.correlation_id as "correlationId", p.created_at as "createdAt",
  p.decided_at as "decidedAt"`;

/** Null if the assessment has been appealed already. */
export const insertAppeal = (
  tx: Queryable,
  made: {
    assessmentId: string;
    taskId: string;
    agentId: string;
    reason: string | null;
    correlationId: string;
    at: Date;
  },
) =>
  row<AppealRow>(
    tx,
    'appeals_insert',
    `insert into appeals as p (assessment_id, task_id, agent_id, reason, due_at, correlation_id, created_at)
     values ($1, $2, $3, $4, $6, $5, $6) on conflict (assessment_id) do nothing returning ${columns}`,
    [made.assessmentId, made.taskId, made.agentId, made.reason, made.correlationId, made.at.toISOString()],
  );

export const isAppealed = async (db: Queryable, assessmentId: string): Promise<boolean> =>
  (await row(db, 'appeals_get', 'select task_id from appeals where assessment_id = $1', [assessmentId])) !== null;

export const leaseAppeals = (db: Queryable, lease: Lease) =>
  rows<AppealRow>(
    db,
    'appeals_lease',
    `update appeals p set due_at = $2, attempts = p.attempts + 1, leased_by = $4
     where p.assessment_id in (
       select assessment_id from appeals x where ${isLeasable('assessment_id')}
       order by due_at limit $3 for update skip locked
     )
     returning ${columns}`,
    lease,
  );

export const postponeAppeal = (db: Queryable, assessmentId: string, until: Date) =>
  rows(
    db,
    'appeals_postpone',
    `update appeals set due_at = $2, leased_by = null where assessment_id = $1 and status = 'pending'`,
    [assessmentId, until.toISOString()],
  );

/** Null if it has been decided already. */
export const markDecided = (
  tx: Queryable,
  assessmentId: string,
  { status, resultId, at }: { status: 'upheld' | 'rejected'; resultId: string | null; at: Date },
) =>
  row(
    tx,
    'appeals_decided',
    `update appeals set status = $2, result_id = $3, decided_at = $4, due_at = null
     where assessment_id = $1 and status = 'pending' returning task_id`,
    [assessmentId, status, resultId, at.toISOString()],
  );
