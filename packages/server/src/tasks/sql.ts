import type { TaskInput, TaskStatus, TaskType, TaskVerb } from '@agora-market/contract';
import { waitingStatuses, workingStatuses } from '@agora-market/contract';
import type { DependencyProblem, Earlier } from '../dependencies/index.ts';
import { expandEvents, type StoredEvent, storedColumns, storedFrom, type ToldEvent } from '../events/index.ts';
import {
  batchLoader,
  changedRows,
  column,
  type Pool,
  type Queryable,
  type RowOf,
  row,
  rows,
  selectList,
  sqlList,
} from '../platform/index.ts';

/** Everything that is stored of a task, named once: ids are UUIDs, times ISO 8601, money cents. */
export const taskColumns = {
  id: column<string>('t.id'),
  ownerId: column<string>('t.owner_id'),
  submitterAgentId: column<string | null>('t.submitter_agent_id'),
  /** Null while it waits for an agent, and if it ended so. */
  agentId: column<string | null>('t.agent_id'),
  taskType: column<TaskType>('t.task_type'),
  maxBudget: column<number>('t.max_budget'),
  price: column<number>('t.price'),
  /** The platform's share in basis points, agreed with the price. */
  feeBps: column<number>('t.fee_bps'),
  /** As the contract checked it; after its erasure the `labels` alone. */
  input: column<TaskInput>('t.input'),
  inputExpiresAt: column<string | null>('t.input_expires_at'),
  output: column<Record<string, unknown> | null>('t.output'),
  status: column<TaskStatus>('t.status'),
  declaredScore: column<number | null>('t.declared_score'),
  qualityScore: column<number | null>('t.quality_score'),
  executionTimeMs: column<number | null>('t.execution_time_ms'),
  creditsCharged: column<number | null>('t.credits_charged'),
  reason: column<string | null>('t.reason'),
  errorMessage: column<string | null>('t.error_message'),
  /** The verb that ended it, if it failed; null of what failed before Agora 0.1. */
  failedBy: column<TaskVerb | null>('t.failed_by'),
  feedbackDirection: column<'up' | 'down' | null>('t.feedback_direction'),
  feedbackComment: column<string | null>('t.feedback_comment'),
  feedbackAt: column<string | null>('t.feedback_at'),
  sandboxId: column<string | null>('t.sandbox_id'),
  assessmentId: column<string | null>('t.assessment_id'),
  correlationId: column<string>('t.correlation_id'),
  createdAt: column<string>('t.created_at'),
  assignedAt: column<string | null>('t.assigned_at'),
  startedAt: column<string | null>('t.started_at'),
  finishedAt: column<string | null>('t.finished_at'),
  /** When the buyer paid for work that the gate had failed. */
  acceptedAt: column<string | null>('t.accepted_at'),
  acceptBy: column<string | null>('t.accept_by'),
  deadline: column<string | null>('t.deadline'),
  /** Until when the deadline is paused for an answer of the submitter; null if it is not. */
  waitingUntil: column<string | null>('t.waiting_until'),
  /** Gate runs so far. */
  attempts: column<number>('t.attempts'),
  /** Agents that had the task before, oldest first; null if there were none. */
  earlierAgents: column<string[] | null>('t.earlier_agents'),
  /** All attempts at the task, in order, this one included; null for a task that is alone. */
  groupTasks: column<string[] | null>('t.group_tasks'),
};

export type TaskRow = RowOf<typeof taskColumns>;

/** The agent of a task that one works on or has delivered. */
export function agentOf({ id, agentId }: Pick<TaskRow, 'id' | 'agentId'>): string {
  if (agentId === null) throw new Error(`task ${id} has no agent`);
  return agentId;
}

/** The select list of a task row, of a table that the query calls `t`. */
export const columns = selectList(taskColumns);

const waiting = sqlList(waitingStatuses);
const working = sqlList(workingStatuses);

/** Reads tasks by id; those asked for in one turn of the event loop are read together. */
export const taskLoader = (pool: Pool) =>
  batchLoader<TaskRow>(async (ids) => {
    const found = await rows<TaskRow>(
      pool,
      'tasks_by_id',
      // By key for each: a plan that is made while the table is small would read all of it later.
      `select ${columns} from unnest($1::uuid[]) as i(id)
       cross join lateral (select * from tasks where id = i.id limit 1) t`,
      [ids],
    );
    return new Map(found.map((task) => [task.id, task]));
  });

/** One task, which no other request changes before this transaction ends. */
export const lockedTask = (tx: Queryable, id: string) =>
  row<TaskRow>(tx, 'tasks_locked', `select ${columns} from tasks t where t.id = $1 for update`, [id]);

/** Tasks that wait for an agent's commitment, oldest first. */
export const listWaiting = (db: Queryable, agentId: string, after: string | null, limit: number) =>
  rows<TaskRow>(
    db,
    'tasks_waiting',
    `select ${columns} from tasks t
     where t.agent_id = $1 and t.due_at is not null and t.status in ${waiting}
       and ($2::uuid is null or t.id > $2)
     order by t.id limit $3`,
    [agentId, after, limit],
  );

/** Gives an unstarted task the sandbox that its agent has provisioned, unless it has gone to another one meanwhile. */
export const attachSandbox = (db: Queryable, task: { id: string; agentId: string }, sandboxId: string) =>
  rows(
    db,
    'tasks_attach_sandbox',
    `update tasks set sandbox_id = $3 where id = $1 and agent_id = $2 and status in ${waiting}`,
    [task.id, task.agentId, sandboxId],
  );

/** Started tasks that fell due at the time by which they had to be: they are due again at their deadline. */
export const awaitDeadlines = (db: Queryable, now: Date, limit: number) =>
  changedRows(
    db,
    'tasks_await_deadlines',
    `update tasks set due_at = deadline
     where id in (
       select id from tasks where due_at <= $1 and status in ${working} and deadline > $1
       order by due_at limit $2 for update skip locked
     )`,
    [now.toISOString(), limit],
  );

/** Moves the deadline of a started task later, never past the end of its input; `due_at` may stay earlier. */
export const postponeDeadline = (db: Queryable, { id, agentId }: Pick<TaskRow, 'id' | 'agentId'>, until: Date) =>
  rows(
    db,
    'tasks_postpone_deadline',
    `update tasks set deadline = greatest(deadline, least($3, input_expires_at))
     where id = $1 and agent_id = $2 and status in ${working}`,
    [id, agentId, until.toISOString()],
  );

/**
 * Moves what agents must keep later by a time in which no server was at work: until when they accept and deliver, never
 * past the end of the input.
 */
export const postponeAll = (tx: Queryable, awayMs: number) =>
  rows(
    tx,
    'tasks_postpone_all',
    `update tasks set due_at = ${later('due_at')}, accept_by = ${later('accept_by')}, deadline = ${later('deadline')},
       waiting_since = ${later('waiting_since')}, waiting_until = ${later('waiting_until')}
     where due_at is not null and agent_id is not null and status in ${sqlList([...waitingStatuses, ...workingStatuses])}`,
    [awayMs],
  );

/** A time that is not set stays so: `least` and `greatest` would take the end of the input for it. */
const later = (at: string) =>
  `case when ${at} is not null then least(${at} + $1 * interval '1 ms', greatest(${at}, coalesce(input_expires_at, 'infinity'))) end`;

/** Tasks whose time has run out; the caller expires or reassigns each through a step, which checks again. */
export const overdueTasks = (db: Queryable, now: Date, limit: number) =>
  rows<Pick<TaskRow, 'id' | 'status' | 'agentId' | 'startedAt'> & { allowedMs: number | null }>(
    db,
    'tasks_overdue',
    `select id, status, agent_id as "agentId", started_at as "startedAt", (extract(epoch from deadline - started_at) * 1000)::int8 - paused_ms as "allowedMs" from tasks
     where due_at <= $1 and (status in ${waiting} or status in ${working} and deadline <= $1)
     order by due_at limit $2`,
    [now.toISOString(), limit],
  );

/** Agents with routed tasks that wait to be started and are due in a span of time, and since when the first does. */
export const routedTo = (db: Queryable, after: string | null, until: string) =>
  rows<{ agentId: string; since: string }>(
    db,
    'tasks_routed_to',
    `select agent_id as "agentId", min(assigned_at) as since from tasks
     where due_at > coalesce($1::timestamptz, '-infinity') and due_at <= $2 and status = 'routing'
     group by agent_id`,
    [after, until],
  );

/** The keys of an input that stay when the rest is erased. */
const labels = ['title', 'description', 'tags', 'project', 'metadata'];

/**
 * Erases expired inputs. The labels stay, by which both parties still know the task. Open tasks keep their input: the gate
 * needs it, and their deadline is never later than the end of their input.
 */
export const eraseInputs = (db: Queryable, now: Date, limit: number) =>
  rows<{ id: string }>(
    db,
    'tasks_erase_inputs',
    `update tasks t set input_expires_at = null,
       input = coalesce((select json_object_agg(key, value) from json_each(t.input) where key in ${sqlList(labels)}), '{}')
     where t.id in (
       select id from tasks where input_expires_at <= $1 and due_at is null order by input_expires_at limit $2 for update skip locked
     )
     returning t.id`,
    [now.toISOString(), limit],
  );

/** What these tasks' sandboxes lacked names what was in their inputs. */
export const eraseLacking = (db: Queryable, ids: string[]) =>
  rows(db, 'sandboxes_erase_lacking', `update sandboxes set lacking = '[]' where task_id = any($1::uuid[])`, [ids]);

/** Events of one task after a number, oldest first; for an agent without those of messages that others had. */
export async function taskEvents(
  db: Queryable,
  { taskId, agentId }: { taskId: string; agentId: string | null },
  after: number,
  limit: number,
): Promise<ToldEvent[]> {
  const stored = await rows<StoredEvent>(
    db,
    'tasks_events',
    `select ${storedColumns} from events
     where task_id = $1 and seq >= $2 and ($4::uuid is null or agent_id = $4 or type not like 'message.%')
     order by seq limit $3`,
    // One more: of the first, everything may have been told.
    [taskId, storedFrom(after), limit + 1, agentId],
  );
  return expandEvents(stored)
    .filter((event) => event.seq > after)
    .slice(0, limit);
}

export interface SandboxRow {
  id: string;
  taskId: string;
  agentId: string;
  host: string;
  status: 'provisioning' | 'ready' | 'draining' | 'kept' | 'lost' | 'destroyed' | 'failed';
  expiresAt: string;
  /** The digest of the packages that it started with. */
  layer: string | null;
  /** What could not be had of them. */
  lacking: DependencyProblem[];
  /** As of when its work is stored while it lives. */
  snapshotAt: string | null;
}

const sandboxColumns = `id, task_id as "taskId", agent_id as "agentId", host, status, expires_at as "expiresAt", layer, lacking,
  snapshot_at as "snapshotAt"`;

/** What it started with; null where the agent had none. */
export async function earlierOf(db: Queryable, task: Pick<TaskRow, 'id' | 'agentId'>): Promise<Earlier | null> {
  const latest = await latestSandbox(db, task);
  return latest && { layer: latest.layer, problems: latest.lacking };
}

/** The newest sandbox that the agent of a task had for it; those of agents that lost the task are none of its. */
export const latestSandbox = (db: Queryable, { id, agentId }: Pick<TaskRow, 'id' | 'agentId'>) =>
  row<SandboxRow>(
    db,
    'sandboxes_latest',
    `select ${sandboxColumns} from sandboxes where task_id = $1 and agent_id = $2 order by id desc limit 1`,
    [id, agentId],
  );

/** Of the given tasks, those that another agent than the given one has by now. */
export const passedOnAmong = async (db: Queryable, held: { taskId: string; agentId: string }[]): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      db,
      'tasks_passed_on_among',
      `select i.id from unnest($1::uuid[], $2::uuid[]) as i(id, agent)
       where exists (select from tasks t where t.id = i.id and t.agent_id <> i.agent)`,
      [held.map(({ taskId }) => taskId), held.map(({ agentId }) => agentId)],
    )
  ).map((task) => task.id);

/** Of the given tasks, those that have ended or do not exist. */
export const endedAmong = async (db: Queryable, ids: string[]): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      db,
      'tasks_ended_among',
      `select i.id from unnest($1::uuid[]) as i(id)
       where not exists (select from tasks t where t.id = i.id and t.due_at is not null)`,
      [ids],
    )
  ).map((task) => task.id);
