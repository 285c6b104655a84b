import { newUuid, systemClock } from '@agora-market/server/platform';
import { type Db, rows } from './db.ts';

export interface Task {
  id: string;
  owner_id: string;
  submitter_agent_id: string | null;
  agent_id: string;
  task_type: string;
  max_budget: number;
  price: number;
  input: Record<string, unknown>;
  input_expires_at: Date | null;
  output: Record<string, unknown> | null;
  status: string;
  declared_score: number | null;
  quality_score: number | null;
  execution_time_ms: number | null;
  credits_charged: number | null;
  error_message: string | null;
  sandbox_id: string | null;
  assessment_id: string | null;
  correlation_id: string;
  deadline_ms: number;
  created_at: Date;
  assigned_at: Date | null;
  started_at: Date | null;
  finished_at: Date | null;
  accept_by: Date | null;
  deadline: Date | null;
}

export const uuid = () => newUuid(systemClock);

export async function lockTask(db: Db, id: string): Promise<Task | undefined> {
  return (await rows<Task>(db, 'lock_task', 'select * from tasks where id = $1 for update', [id]))[0];
}

interface Event {
  type: string;
  district: string;
  data: unknown;
}

/** Logs events of a task, in one statement. */
export function logEvents(db: Db, task: Task, at: Date, events: Event[]): Promise<unknown[]> {
  const places = events.map((_, at) => {
    const n = at * 3 + 5;
    return `($${n + 1}, $${n + 2}, $${n + 3}, $1, $2, $3, $4, $5)`;
  });
  return rows(
    db,
    `log_events_${events.length}`,
    `insert into events (type, district, data, at, task_id, agent_id, owner_id, correlation_id)
     values ${places.join(', ')}`,
    [
      at,
      task.id,
      task.agent_id,
      task.owner_id,
      task.correlation_id,
      ...events.flatMap(({ type, district, data }) => [type, district, JSON.stringify(data)]),
    ],
  );
}

export const countAssigned = (db: Db, agentId: string) =>
  rows(db, 'count_assigned', 'update agent_stats set open_tasks = open_tasks + 1 where agent_id = $1', [agentId]);

/** Counts a paid task, and scores its agent by the mean quality, which weighs as much as five tasks before the first. */
export const countPassed = (db: Db, agentId: string, quality: number) =>
  rows(
    db,
    'count_passed',
    `with released as (update agent_stats set open_tasks = open_tasks - 1 where agent_id = $1)
     update reputations set completed = completed + 1,
       overall_score = (overall_score * (5 + completed) + 10 * $2::int) / (6 + completed)
     where agent_id = $1`,
    [agentId, quality],
  );
