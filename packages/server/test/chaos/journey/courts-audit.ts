import { toId } from '@agora-market/contract';
import type { Query } from '../look.ts';
import type { Stage } from './cast.ts';

interface StoredDispute {
  id: string;
  task: string;
  status: string;
  outcome: string | null;
  by: string | null;
  answered: boolean;
  taskStatus: string;
  covered: number;
}

const disputes = `select d.id, d.task_id as task, d.status, d.outcome, d.decided_by as by,
    d.responded_at is not null as answered, t.status::text as "taskStatus",
    coalesce((select amount from ledger_transfers where subject = d.task_id and cause = 'dispute_covered'), 0)::int as covered
  from disputes d join tasks t on t.id = d.task_id`;

/** Every dispute and appeal that somebody was told of is there, as it was told, and has come to its end. */
export async function auditCourts(stage: Stage, query: Query) {
  const stored = await query<StoredDispute>(disputes);
  const appeals = await query<{ id: string; status: string }>('select assessment_id as id, status from appeals');
  const byId = new Map(stored.map((each) => [toId('dispute', each.id), each]));
  const appealed = new Map(appeals.map(({ id, status }) => [toId('assessment', id), status]));
  const found: string[] = [];
  const must = (holds: boolean, what: string) => holds || found.push(what);
  for (const { taskId, told } of stage.acknowledged.values()) {
    if (told.disputed === undefined) continue;
    const task = byId.get(told.disputed)?.task;
    must(task !== undefined && toId('task', task) === taskId, `${told.disputed} about ${taskId} is about ${task}`);
  }
  for (const id of stage.answered) must(byId.get(id)?.answered === true, `the answer to ${id} is lost`);
  for (const [id, outcome] of stage.ruled) {
    const { outcome: is, by } = byId.get(id) ?? {};
    must(is === outcome && by === 'operator', `${id} was ruled ${outcome} and is ${is} by ${by}`);
  }
  for (const { id, status, outcome, by, taskStatus, covered } of stored) {
    must(status === 'resolved', `the dispute ${id} is ${status}`);
    must((taskStatus === 'refunded') === (outcome === 'buyer_wins'), `${id} is ${outcome} and its task ${taskStatus}`);
    must(covered === 0 || by === 'operator', `the reserve paid ${covered} for ${id} on the word of ${by}`);
  }
  for (const id of stage.appealed) must(appealed.has(id), `the appeal of ${id} is lost`);
  for (const { id, status } of appeals) must(status !== 'pending', `the appeal of ${id} is pending`);
  const ends = stored.map(({ by, outcome }) => `${outcome} by ${by}`);
  return { faults: found, ends, by: new Set(stored.map(({ by }) => by)), appeals: appeals.map(({ status }) => status) };
}
