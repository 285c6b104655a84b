import { type DisputeStatus, type Operations, toId, toUuid } from '@agora-market/contract';
import { type Call, ensure, type Pool, type Queryable, row, rows, selectList } from '../../platform/index.ts';
import { type BareTask, bareColumns, bareView, withAgent } from '../../tasks/index.ts';
import { type EventRow, eventColumns, eventView } from './events.ts';

/** What the operator sees of one task: where it stands and why, and nothing of what it is about. */

type Row = BareTask & { dueAt: string | null; gateHost: string | null };

const find = (db: Queryable, id: string) =>
  row<Row>(
    db,
    'operator_task',
    `select ${selectList(bareColumns)}, case when isfinite(t.due_at) then t.due_at end as "dueAt", t.gate_host as "gateHost"
     from tasks t ${withAgent} where t.id = $1`,
    [id],
  );

interface SandboxRow {
  id: string;
  status: string;
  host: string;
  hostIsAlive: boolean;
  createdAt: string;
  endedAt: string | null;
}

const listSandboxes = (db: Queryable, id: string) =>
  rows<SandboxRow>(
    db,
    'operator_task_sandboxes',
    `select s.id, s.status, s.host, (h.id is not null and h.ended_at is null) as "hostIsAlive", s.created_at as "createdAt",
       s.ended_at as "endedAt"
     from sandboxes s left join hosts h on h.id = s.host where s.task_id = $1 order by s.id desc limit 20`,
    [id],
  );

interface AssessmentRow {
  id: string;
  purpose: 'gate' | 'dispute' | 'appeal';
  score: number;
  passed: boolean;
  createdAt: string;
}

const listAssessments = (db: Queryable, id: string) =>
  rows<AssessmentRow>(
    db,
    'operator_task_assessments',
    `select id, purpose, score, passed, created_at as "createdAt" from assessments
     where task_id = $1 order by id desc limit 20`,
    [id],
  );

const findDispute = (db: Queryable, id: string) =>
  row<{ id: string; status: DisputeStatus }>(
    db,
    'operator_task_dispute',
    'select id, status from disputes where task_id = $1',
    [id],
  );

const listEvents = (db: Queryable, id: string) =>
  rows<EventRow>(
    db,
    'operator_task_events',
    `select ${eventColumns} from events where task_id = $1 order by seq desc limit 100`,
    [id],
  );

/** One after the other: a page that stays open takes one connection of the pool. */
export async function readTask(pool: Pool, { params }: Call<Operations['operator.task']>) {
  const id = toUuid('task', params.taskId);
  ensure(id, 'TASK_NOT_FOUND');
  const task = await find(pool, id);
  ensure(task, 'TASK_NOT_FOUND');
  const sandboxes = await listSandboxes(pool, id);
  const assessments = await listAssessments(pool, id);
  const dispute = await findDispute(pool, id);
  const events = await listEvents(pool, id);
  const isOpen = task.finishedAt === null;
  return {
    ...bareView(task),
    dueAt: task.dueAt,
    held: isOpen ? task.maxBudget : 0,
    gateHost: isOpen ? task.gateHost : null,
    sandboxes: sandboxes.map((sandbox) => ({ ...sandbox, id: toId('sandbox', sandbox.id) })),
    assessments: assessments.map((each) => ({ ...each, id: toId('assessment', each.id) })),
    disputeId: dispute && toId('dispute', dispute.id),
    disputeStatus: dispute?.status ?? null,
    events: events.map(eventView),
  };
}
