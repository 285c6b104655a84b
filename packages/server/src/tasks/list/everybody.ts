import { type Operations, type ReplyOf, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import {
  type Call,
  column,
  decodeCursor,
  encodeCursor,
  invalidField,
  type Pool,
  pageOf,
  type Queryable,
  type RowOf,
  row,
  rows,
  selectList,
} from '../../platform/index.ts';
import { failureOf, verbOf } from '../failures.ts';
import { taskColumns } from '../sql.ts';
import { filterOf } from './list.ts';
import { amount, directions, isOpen, type ListFilter } from './sql.ts';

/** The operator's list: tasks of everybody, without what parties wrote. */

const { input: _input, output: _output, reason: _reason, errorMessage: _message, ...bare } = taskColumns;

/** What the operator sees of a task in lists, of tables that the query calls `t` and `a`. */
export const bareColumns = { ...bare, agentName: column<string | null>('a.display_name') };
export type BareTask = RowOf<typeof bareColumns>;

/** Its agent by key, wherever the planner would rather read the whole table. */
export const withAgent = 'left join lateral (select display_name from agents where id = t.agent_id limit 1) a on true';

/** Tasks that one page looks through at most, whatever its filters. */
const lookedThrough = 20_000;

/** Where tasks are taken from, each by an index; `id` is the parameter of whose or which. */
const scopes = {
  everybody: (id: string) => `${id}::uuid is null`,
  owner: (id: string) => `owner_id = ${id}`,
  agent: (id: string) => `agent_id = ${id}`,
  one: (id: string) => `id = ${id}`,
  open: (id: string) => `due_at is not null and ${id}::uuid is null`,
} as const;

interface Scope {
  of: keyof typeof scopes;
  id: string | null;
}

/** The tasks to look through, in order. The indexes of open tasks have no order, so these are found first. */
const inOrder = ({ of }: Scope, id: string, order: string) =>
  `select * from (select * from tasks where ${scopes[of](id)} and id > $1 and id < $2 ${of === 'open' ? 'offset 0' : ''}) o
   order by id ${order}`;

const fits = `($3::task_status[] is null or t.status = any($3)) and ($4::text is null or t.status = 'failed' and t.failed_by = $4)
   and ($5::text is null or t.task_type = $5) and ($6::uuid is null or t.agent_id = $6) and ($7::uuid is null or t.owner_id = $7)
   and ($8::int8 is null or ${amount} >= $8) and ($9::int8 is null or ${amount} <= $9)`;

interface Filter extends ListFilter {
  ownerId: string | null;
}

const orderOf = ({ order }: Filter) => directions[order];

const find = (db: Queryable, scope: Scope, filter: Filter, limit: number) =>
  rows<BareTask>(
    db,
    `tasks_of_${scope.of}_${orderOf(filter)}`,
    `select ${selectList(bareColumns)} from (${inOrder(scope, '$11', orderOf(filter))} limit ${lookedThrough}) t ${withAgent}
     where ${fits} order by t.id ${orderOf(filter)} limit $10`,
    [
      filter.above,
      filter.below,
      filter.statuses,
      filter.failure && verbOf(filter.failure),
      filter.taskType,
      filter.agentId,
      filter.ownerId,
      filter.least,
      filter.most,
      limit,
      scope.id,
    ],
  );

/** The last task that `find` looks through, if there are more after it. */
const lastLooked = (db: Queryable, scope: Scope, filter: Filter) =>
  row<{ id: string }>(
    db,
    `tasks_looked_of_${scope.of}_${orderOf(filter)}`,
    `select id from (${inOrder(scope, '$3', orderOf(filter))} offset ${lookedThrough - 1} limit 1) t`,
    [filter.above, filter.below, scope.id],
  );

function scopeOf(filter: Filter): Scope {
  if (filter.taskId !== null) return { of: 'one', id: filter.taskId };
  if (filter.agentId !== null) return { of: 'agent', id: filter.agentId };
  if (filter.ownerId !== null) return { of: 'owner', id: filter.ownerId };
  return { of: isOpen(filter) ? 'open' : 'everybody', id: null };
}

/** What the operator sees of a task. */
export const bareView = (task: BareTask): ReplyOf<Operations['operator.tasks']>['data'][number] => ({
  id: toId('task', task.id),
  ownerId: toId('owner', task.ownerId),
  submitterId: task.submitterAgentId === null ? toId('owner', task.ownerId) : toId('agent', task.submitterAgentId),
  agentId: task.agentId === null ? null : toId('agent', task.agentId),
  agentName: task.agentName,
  taskType: task.taskType,
  status: task.status,
  failure: task.status === 'failed' ? failureOf(task.failedBy) : null,
  maxBudget: task.maxBudget,
  price: task.agentId === null ? null : task.price,
  creditsCharged: task.creditsCharged,
  qualityScore: task.qualityScore,
  createdAt: task.createdAt,
  startedAt: task.startedAt,
  finishedAt: task.finishedAt,
  acceptBy: task.acceptBy,
  deadline: task.deadline,
  waitingUntil: task.waitingUntil,
  gateRuns: task.attempts,
  correlationId: task.correlationId,
});

/** What an id in the search field is of. */
function sought(q: string | undefined): { taskId?: string; ownerId?: string; agentId?: string } {
  if (q === undefined) return {};
  const [taskId, ownerId, agentId] = [toUuid('task', q), toUuid('owner', q), toUuid('agent', q)];
  if (taskId !== null) return { taskId };
  if (ownerId !== null) return { ownerId };
  if (agentId !== null) return { agentId };
  throw invalidField('q', 'must be the id of a task (tsk_…), an owner (own_…) or an agent (agt_…)');
}

/** A page ends early where too many tasks were looked through; its cursor goes on after them. */
export async function listEverybodys(db: Pool, { query }: Call<Operations['operator.tasks']>) {
  const { pageSize, cursor, q, ownerId, ...filters } = query;
  const given = sought(q);
  const filter: Filter = {
    ...filterOf(filters)(decodeCursor(cursor, z.uuid())),
    ownerId: ownerId === undefined ? null : toUuid('owner', ownerId),
    ...given,
  };
  const scope = scopeOf(filter);
  const found = await find(db, scope, filter, pageSize + 1);
  const page = pageOf(found, pageSize, ({ id }) => id, bareView);
  if (found.length > pageSize) return page;
  const last = await lastLooked(db, scope, filter);
  return { ...page, pagination: { pageSize, nextCursor: last === null ? null : encodeCursor(last.id) } };
}
