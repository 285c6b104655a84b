import {
  amountOrders,
  type ListedTask,
  type Operations,
  type QueryOf,
  splitPrice,
  type TaskInput,
  type TaskOrder,
  type TaskView,
  toUuid,
} from '@agora-market/contract';
import { z } from 'zod';
import {
  type AgentCaller,
  type Call,
  csvLine,
  decodeCursor,
  firstIdAt,
  invalidField,
  type OwnerCaller,
  pageOf,
  sendCsv,
  sendText,
} from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { withPullRequests } from '../pulls/view.ts';
import { withWaiting } from '../queue/waiting.ts';
import { roleOf, taskView } from '../view.ts';
import {
  type AmountPlace,
  amountOf,
  type ListedRow,
  type ListFilter,
  type ListOf,
  listTasks,
  statusesOf,
} from './sql.ts';
import { taskPage } from './task-page.ts';

type Query = QueryOf<Operations['tasks.list']>;
type Filters = Omit<Query, 'pageSize' | 'cursor' | 'role' | 'include'>;
type Reader = OwnerCaller | AgentCaller;

const ends = { first: '00000000-0000-0000-0000-000000000000', last: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

const isByAmount = (order: TaskOrder | undefined): boolean => amountOrders.some((each) => each === order);

/** The last task of a page: its id, and in an order by amount its amount in cents before. */
type Place = string | AmountPlace;

const uuid = z.uuid().toLowerCase();
const places = { time: uuid, amount: z.tuple([z.int().min(0), uuid]) };

/** What a cursor holds. One of a list in another order is refused. */
const readPlace = ({ cursor, sort }: Pick<Query, 'cursor' | 'sort'>): Place | null =>
  isByAmount(sort) ? decodeCursor(cursor, places.amount) : decodeCursor(cursor, places.time);

const placeIn =
  (order: TaskOrder | undefined) =>
  (task: ListedRow): Place =>
    isByAmount(order) ? [amountOf(task), task.id] : task.id;

/** A list from a place on, as it is read from the database. */
export function filterOf(filters: Filters): (after: Place | null) => ListFilter {
  const { q, status, failure, taskType, agentId, project, tag, feedback, createdFrom, createdBefore } = filters;
  const { minAmount: least = null, maxAmount: most = null, sort = 'newest' } = filters;
  if (least !== null && most !== null && least > most) throw invalidField('minAmount', 'must not be above maxAmount');
  const above = createdFrom === undefined ? ends.first : firstIdAt(new Date(createdFrom));
  const below = createdBefore === undefined ? ends.last : firstIdAt(new Date(createdBefore));
  if (above > below) throw invalidField('createdFrom', 'must not be after createdBefore');
  const taskId = q === undefined ? null : toUuid('task', q);
  if (q !== undefined && taskId === null && !/[\p{L}\p{N}]/u.test(q))
    throw invalidField('q', 'must have a letter or a digit');
  const common = {
    words: taskId === null ? (q ?? null) : null,
    taskId,
    statuses: statusesOf(status),
    failure: failure ?? null,
    taskType: taskType ?? null,
    agentId: agentId === undefined ? null : toUuid('agent', agentId),
    project: project ?? null,
    tag: tag ?? null,
    feedback: feedback === undefined ? null : feedback === 'given' ? ['up', 'down'] : [feedback],
    least,
    most,
    order: sort,
  };
  // An order by amount begins where the wanted amounts do.
  const first: AmountPlace =
    sort === 'highest' ? [most ?? Number.MAX_SAFE_INTEGER, ends.last] : [least ?? 0, ends.first];
  return (after) => {
    const id = typeof after === 'string' ? after : null;
    return {
      ...common,
      above: sort === 'oldest' && id !== null && id > above ? id : above,
      below: sort === 'newest' && id !== null && id < below ? id : below,
      past: isByAmount(sort) ? (typeof after === 'object' && after !== null ? after : first) : null,
    };
  };
}

/** An agent, or its owner, must not find out by them what the agent may not read of an input. */
const submittersFilters = ['q', 'project', 'tag'] as const;

export function listOf(caller: Reader, query: Partial<Query>): ListOf {
  const { ownerId } = caller;
  const isAgent = caller.kind === 'agent';
  const role = query.role ?? (isAgent ? 'assigned' : 'submitted');
  if (role === 'submitted')
    return isAgent ? { by: 'submitter', ownerId, agentId: caller.agentId } : { by: 'owner', ownerId };
  const refused = submittersFilters.find(
    (name) => query[name] !== undefined && !(name === 'q' && toUuid('task', query[name]) !== null),
  );
  if (isByAmount(query.sort)) throw invalidField('sort', 'must be newest or oldest for tasks that are assigned');
  if (refused && isAgent) throw invalidField(refused, 'is for tasks that you submitted; add role=submitted');
  if (refused) throw invalidField(refused, 'is for tasks that you submitted; leave out role, or find one by its id');
  return isAgent ? { by: 'assignee', ownerId, agentId: caller.agentId } : { by: 'seller', ownerId };
}

type Listed = ListedTask & Pick<TaskView, 'input' | 'output'>;

/** What the submitter alone learns of its tasks is added to a page at once. */
async function withOthers<View extends ListedTask>(
  deps: TaskDeps,
  of: ListOf,
  tasks: readonly ListedRow[],
  views: View[],
): Promise<View[]> {
  if (of.by === 'seller') return views;
  const shown = of.by === 'owner' ? await withPullRequests(deps, tasks, views) : views;
  return withWaiting(deps, of.ownerId, shown);
}

/** A task as its caller sees it in lists; what it may not read of an input it does not read here either. */
function listedView(task: ListedRow, of: ListOf, caller: Reader): Listed {
  // The owner of an agent is no party of what it does, and is shown no more than the agent.
  const role = of.by === 'seller' ? 'assignee' : roleOf(task, caller);
  const view = taskView(task, role);
  const { project, tags } = view.input as TaskInput;
  const earned =
    role === 'assignee' && task.creditsCharged !== null ? splitPrice(task.creditsCharged, task.feeBps) : null;
  return {
    ...{ ...view, agentName: task.agentName, project: project || null, tags: tags ?? [] },
    earned: earned?.payoutCents ?? null,
  };
}

const withoutContent = ({ input: _input, output: _output, ...listed }: Listed): ListedTask => listed;

export async function listOwnTasks(deps: TaskDeps, { caller, query }: Call<Operations['tasks.list']>) {
  const { pageSize, cursor: _, role: __, include, ...filters } = query;
  const of = listOf(caller, query);
  const from = filterOf(filters);
  const after = readPlace(query);
  const placeOf = placeIn(query.sort);
  const tasks: ListedRow[] = [];
  const view = (task: ListedRow) => {
    tasks.push(task);
    return listedView(task, of, caller);
  };
  if (include === 'content') {
    const look = (last: Place | null, limit: number) =>
      listTasks(deps.pool, of, from(last), { what: 'content', limit });
    const page = await taskPage({ pageSize, from: after, look, placeOf, view });
    return { ...page, data: await withOthers(deps, of, tasks, page.data) };
  }
  const found = await listTasks(deps.pool, of, from(after), { what: 'heading', limit: pageSize + 1 });
  const page = pageOf(found, pageSize, placeOf, view);
  return { ...page, data: (await withOthers(deps, of, tasks, page.data)).map(withoutContent) };
}

const exportedAtOnce = 500;

const header = [
  ...(['id', 'title', 'status', 'failure', 'taskType', 'project', 'tags', 'agentId', 'agentName'] as const),
  ...(['maxBudget', 'price', 'creditsCharged', 'qualityScore', 'createdAt', 'startedAt', 'finishedAt'] as const),
  ...(['earned', 'feedback', 'review'] as const),
];

const csvOf = ({ feedback, ...task }: ListedTask): string => {
  const others = {
    tags: task.tags.join(' '),
    feedback: feedback?.direction ?? null,
    review: feedback?.comment ?? null,
  };
  const cells = { ...task, ...others };
  return csvLine(header.map((name) => cells[name]));
};

async function* exported(deps: TaskDeps, { caller, query }: Call<Operations['tasks.export']>): AsyncGenerator<string> {
  const { format, role: _, ...filters } = query;
  const of = listOf(caller, query);
  const from = filterOf(filters);
  const placeOf = placeIn(query.sort);
  const line = format === 'csv' ? csvOf : (task: ListedTask) => `${JSON.stringify(task)}\n`;
  let text = format === 'csv' ? csvLine(header) : '';
  for (let last: Place | null = null; ; ) {
    const which = { what: 'heading', limit: exportedAtOnce } as const;
    const found = await listTasks(deps.pool, of, from(last), which);
    const shown = found.map((task) => withoutContent(listedView(task, of, caller)));
    const views = await withOthers(deps, of, found, shown);
    text += views.map(line).join('');
    if (text !== '') yield text;
    text = '';
    if (found.length < exportedAtOnce) return;
    last = placeOf(found.at(-1) as ListedRow);
  }
}

/** Every batch is a query of its own, so that none is kept waiting by a slow reader. */
export const exportTasks = (deps: TaskDeps, call: Call<Operations['tasks.export']>): Promise<void> =>
  call.query.format === 'csv'
    ? sendCsv(call.raw, 'tasks.csv', exported(deps, call))
    : sendText(call.raw, { contentType: 'application/x-ndjson', fileName: 'tasks.ndjson' }, exported(deps, call));
