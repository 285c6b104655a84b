import {
  judgingStatuses,
  openStatuses,
  type StatusGroup,
  type TaskFailure,
  type TaskOrder,
  terminalStatuses,
  waitingStatuses,
  workingStatuses,
} from '@agora-market/contract';
import { column, defineFunction, type Queryable, type RowOf, row, rows, selectList } from '../../platform/index.ts';
import { verbOf } from '../failures.ts';
import { type TaskRow, taskColumns } from '../sql.ts';

/** The heading of a task, from its texts if they are written already. */
export const headingOf = 'coalesce(x.heading, task_heading(t.input))';

/** A task as lists read it: of its input the heading, of its output whether there is one. */
const listedColumns = {
  ...taskColumns,
  input: column<TaskRow['input']>(headingOf),
  output: column<TaskRow['output']>("case when t.output is not null then '{}'::json end"),
};
const named = { agentName: column<string | null>('a.display_name') };

const selected = {
  heading: selectList({ ...listedColumns, ...named }),
  content: selectList({ ...taskColumns, ...named }),
};

export type ListedRow = TaskRow & RowOf<typeof named>;

/** These tasks as lists read them, in no order. */
export const listedById = (db: Queryable, ids: readonly string[]) =>
  rows<ListedRow>(
    db,
    'tasks_listed_by_id',
    `select ${selected.heading} from unnest($1::uuid[]) as f(task_id) ${task} ${texts}
     left join lateral (select display_name from agents where id = t.agent_id limit 1) a on true`,
    [ids],
  );

/** Whose tasks a list has: what an owner or an agent submitted, what an agent does, or all agents of an owner do. */
export type ListOf =
  | { by: 'owner' | 'seller'; ownerId: string }
  | { by: 'assignee' | 'submitter'; ownerId: string; agentId: string };

const isOf = {
  owner: 't.owner_id = $1',
  seller: 'exists (select from agents where id = t.agent_id and owner_id = $1)',
  assignee: 't.agent_id = $1',
  submitter: 't.submitter_agent_id = $1',
} as const satisfies Record<ListOf['by'], string>;

export interface ListFilter {
  words: string | null;
  /** One task and no other. */
  taskId: string | null;
  statuses: readonly string[] | null;
  failure: TaskFailure | null;
  taskType: string | null;
  agentId: string | null;
  project: string | null;
  tag: string | null;
  feedback: readonly string[] | null;
  /** Cents. */
  least: number | null;
  most: number | null;
  /** Ids are of the time of submission: tasks between two of them. */
  above: string;
  below: string;
  order: TaskOrder;
  /** In an order by amount, tasks after this one. */
  past: AmountPlace | null;
}

/** A task in an order by amount, in which those of the same amount stand by their id. */
export type AmountPlace = [cents: number, id: string];

/** The statuses that a filter asks for by one word. */
export const statusesOf = (status: string | undefined): readonly string[] | null =>
  status === undefined ? null : (groups[status as StatusGroup] ?? [status]);

const groups: Record<StatusGroup, readonly string[]> = {
  open: openStatuses,
  waiting: waitingStatuses,
  running: [...workingStatuses, ...judgingStatuses],
  ended: terminalStatuses,
};

/** In cents. The index `tasks_owner_amount` has the same expression. */
export const amount = 'coalesce(t.credits_charged, case when t.agent_id is null then t.max_budget else t.price end)';

export const amountOf = ({ creditsCharged, agentId, maxBudget, price }: TaskRow): number =>
  creditsCharged ?? (agentId === null ? maxBudget : price);

export const directions: Record<TaskOrder, 'asc' | 'desc'> = {
  newest: 'desc',
  oldest: 'asc',
  highest: 'desc',
  lowest: 'asc',
};

/** The order of a list of tasks `t`, and which of them come after the place of an order by amount. */
interface Ordered {
  direction: 'asc' | 'desc';
  by: string;
  rest: string;
}

const byTime = (order: TaskOrder): Ordered => ({
  direction: directions[order],
  by: `t.id ${directions[order]}`,
  rest: 'true',
});

/** `place`: the number of the first parameter of the place. */
function byAmount(order: TaskOrder, place: number): Ordered {
  const direction = directions[order];
  return {
    direction,
    by: `${amount} ${direction}, t.id ${direction}`,
    rest: `(${amount}, t.id) ${direction === 'desc' ? '<' : '>'} ($${place}::int8, $${place + 1}::uuid)`,
  };
}

/** What is asked of a task itself, without its texts. */
const fitsAlone = `t.id > $2 and t.id < $3
   and ($4::task_status[] is null or t.status = any($4)) and ($5::text is null or t.status = 'failed' and t.failed_by = $5)
   and ($6::text is null or t.task_type = $6) and ($7::uuid is null or t.agent_id = $7)
   and ($10::int8 is null or ${amount} >= $10) and ($11::int8 is null or ${amount} <= $11)
   and ($13::text[] is null or t.feedback_direction = any($13))`;

/** Whether a task `t` with its texts `x` is in the list, by the parameters of `filterValues`. */
export const fits = (by: ListOf['by']) => `${isOf[by]} and ${fitsAlone}
   and ($8::text is null or ${headingOf} ->> 'project' = $8)
   and ($9::text is null or ${headingOf} -> 'tags' ? $9)`;

/** Words of an owner as a query of the index of words, from the period of one task to that of another. */
defineFunction(
  'task_words',
  `create or replace function task_words(p_owner uuid, p_words text, p_first uuid, p_last uuid) returns tsquery language sql immutable as $$
  select string_agg(search_words(p_words, right(p_owner::text, 6) || lpad(to_hex(period), 4, '0'))::text, ' | ')::tsquery
  from generate_series(('x' || left(p_first::text, 4))::bit(16)::int, ('x' || left(p_last::text, 4))::bit(16)::int) period
$$`,
);

/**
 * Tasks whose text has all words, by the index of words whatever the planner takes them to be. All that it finds is read.
 * `offset 0` keeps the planner from reading everybody's ids between the two as well.
 */
defineFunction(
  'task_texts_find',
  `create or replace function task_texts_find(p_words tsquery, p_above uuid, p_below uuid) returns setof uuid
language sql stable rows 1000 set enable_seqscan = off set enable_indexscan = off as $$
  select task_id from (
    select task_id from task_texts where task_lexemes(owner_id, task_id, document) @@ p_words offset 0
  ) f where task_id > p_above and task_id < p_below
$$`,
);

/** Texts that are looked through from where the list begins before the index of words is asked: most words are in some. */
const lookedThrough = 1_000;

type Source = 'all' | 'agents' | 'sold' | 'one' | 'nearest' | 'first' | 'found';

/** Each by its key, wherever the planner would rather read a whole table. */
const texts = 'left join lateral (select heading from task_texts where task_id = t.id limit 1) x on true';
const noTexts = 'cross join (select null::jsonb as heading) x';
const task = 'cross join lateral (select * from tasks where id = f.task_id limit 1) t';

/** The first thirteen parameters. */
export const filterValues = (of: ListOf, filter: ListFilter, limit: number) => [
  'agentId' in of ? of.agentId : of.ownerId,
  filter.above,
  filter.below,
  filter.statuses,
  filter.failure && verbOf(filter.failure),
  filter.taskType,
  filter.agentId,
  filter.project,
  filter.tag,
  filter.least,
  filter.most,
  limit,
  filter.feedback,
];

/** Where tasks are taken from, in order, and what joins their texts; the parameters after the thirteenth are its own. */
const sources: Record<Source, (order: Ordered, texts: string) => string> = {
  all: (_, texts) => `tasks t ${texts}`,
  // As many as are wanted of each agent, by its index: among them are those that are wanted of all.
  agents: ({ direction }, texts) => `(select n.id as task_id from agents o cross join lateral (select t.id from tasks t
      where t.agent_id = o.id and ${fitsAlone} order by t.id ${direction} limit $12) n
      where o.owner_id = $1 and ($7::uuid is null or o.id = $7) order by n.id ${direction} limit $12) f ${task} ${texts}`,
  // All of each agent, by the same index: `offset 0` keeps the planner from another way.
  sold: (_, texts) => `(select id from agents where owner_id = $1 and ($7::uuid is null or id = $7)) o
      cross join lateral (select * from tasks where agent_id = o.id and id > $2 and id < $3 offset 0) t ${texts}`,
  one: (_, texts) => `(select $14::uuid as task_id) f ${task} ${texts}`,
  nearest: (
    { direction },
    texts,
  ) => `(select n.task_id from (select * from task_texts where owner_id = $14 and task_id > $2 and task_id < $3
      order by task_id ${direction} limit ${lookedThrough}) n where n.document @@ search_words($15) order by n.task_id ${direction}) f ${task} ${texts}`,
  // The same in an order by amount.
  first: ({ by, rest }, texts) => `(select n.task_id from (select t.id from tasks t where t.owner_id = $14 and ${rest}
      order by ${by} limit ${lookedThrough}) o cross join lateral (select * from task_texts where task_id = o.id limit 1) n
      where n.document @@ search_words($15)) f ${task} ${texts}`,
  found: ({ direction }, texts) => `(select n.task_id from task_texts_find(task_words($14, $15,
      (select task_id from task_texts where owner_id = $14 and task_id > $2 order by task_id limit 1),
      (select task_id from task_texts where owner_id = $14 and task_id < $3 order by task_id desc limit 1)), $2, $3) as n(task_id)
      order by n.task_id ${direction}) f ${task} ${texts}`,
};

/** Parameters of a source, after the thirteenth. */
const sourceValues = (of: ListOf, filter: ListFilter): Record<Source, unknown[]> => ({
  all: [],
  agents: [],
  sold: [],
  one: [filter.taskId],
  nearest: [of.ownerId, filter.words],
  first: [of.ownerId, filter.words],
  found: [of.ownerId, filter.words],
});

/** Where all tasks of a list come from, in no order; with their texts only where these are asked for. */
export function sourceOf(of: ListOf, filter: ListFilter, withTexts: boolean) {
  const rest = of.by === 'seller' ? 'sold' : 'all';
  const source = filter.taskId !== null ? 'one' : filter.words !== null ? 'found' : rest;
  return {
    source,
    from: sources[source](byTime('newest'), withTexts ? texts : noTexts),
    values: sourceValues(of, filter)[source],
  };
}

/** Tasks of one source in the order of the list. */
function take(db: Queryable, of: ListOf, filter: ListFilter, { source, what, limit }: Take): Promise<ListedRow[]> {
  const { order, past } = filter;
  const state = isOpen(filter) ? 'open' : 'any';
  const values = [...filterValues(of, filter, limit), ...sourceValues(of, filter)[source]];
  const ordered = past === null ? byTime(order) : byAmount(order, values.length + 1);
  return rows<ListedRow>(
    db,
    `tasks_list_${of.by}_${source}_${order}_${what}_${state}`,
    `select ${selected[what]} from ${sources[source](ordered, texts)} left join lateral (select display_name from agents where id = t.agent_id limit 1) a on true
     where ${fits(of.by)} and ${states[state]} and ${ordered.rest} order by ${ordered.by} limit $12`,
    [...values, ...(past ?? [])],
  );
}

/** No index has the status, which each start changes; a task is due for something as long as it is open. */
const states = { open: 't.due_at is not null', any: 'true' } as const;

/** Whether a list has open tasks alone. */
export const isOpen = ({ statuses }: ListFilter): boolean =>
  statuses?.every((status) => openStatuses.some((open) => open === status)) ?? false;

interface Take {
  source: Source;
  /** Of input and output the heading alone, or all. */
  what: 'heading' | 'content';
  limit: number;
}

/** The next tasks of a list. An owner's list leaves sub-hires of its agents in. */
export async function listTasks(
  db: Queryable,
  of: ListOf,
  filter: ListFilter,
  which: Omit<Take, 'source'>,
): Promise<ListedRow[]> {
  if (filter.taskId !== null) return take(db, of, filter, { ...which, source: 'one' });
  if (filter.words === null) return take(db, of, filter, { ...which, source: of.by === 'seller' ? 'agents' : 'all' });
  if (filter.past === null) return findByTime(db, of, filter, which);
  const first = await take(db, of, filter, { ...which, source: 'first' });
  return first.length === which.limit ? first : take(db, of, filter, { ...which, source: 'found' });
}

/** Tasks with some words: the nearest texts are looked through, those beyond are found by periods, ever more at once. */
async function findByTime(db: Queryable, of: ListOf, filter: ListFilter, which: Omit<Take, 'source'>) {
  const found = await take(db, of, filter, { ...which, source: 'nearest' });
  const isFull = () => found.length === which.limit;
  let last = isFull() ? null : await textAfter(db, of.ownerId, filter, lookedThrough - 1);
  for (let periods = 1; !isFull() && last !== null; periods *= 2) {
    // A text that came meanwhile shifts the last of the nearest to the one before: that one was found already.
    const rest = between(between(filter, { after: last }), { after: found.at(-1)?.id });
    const next = await textAfter(db, of.ownerId, rest, 0);
    last = next && endOfPeriods(next, filter.order, Math.min(periods, periodsAtOnce));
    if (last === null) break;
    const some = { ...which, source: 'found', limit: which.limit - found.length } as const;
    found.push(...(await take(db, of, between(rest, { before: last }), some)));
  }
  return found;
}

/** The text after so many others in the order of a list; null where there are no more. */
const textAfter = async (db: Queryable, ownerId: string, { above, below, order }: ListFilter, others: number) =>
  (
    await row<{ id: string }>(
      db,
      `task_texts_after_${order}`,
      `select task_id as id from task_texts where owner_id = $1 and task_id > $2 and task_id < $3
       order by task_id ${directions[order]} offset $4 limit 1`,
      [ownerId, above, below, others],
    )
  )?.id ?? null;

/** A list by time without the tasks up to one, or from one on. */
function between(filter: ListFilter, { after, before }: { after?: string | undefined; before?: string }): ListFilter {
  const [low, high] = directions[filter.order] === 'desc' ? [before, after] : [after, before];
  return {
    ...filter,
    above: low !== undefined && low > filter.above ? low : filter.above,
    below: high !== undefined && high < filter.below ? high : filter.below,
  };
}

/** Most that one statement asks the index for, of a list by time. */
const periodsAtOnce = 64;
const lastPeriod = 0xffff;

/**
 * The id at which some periods end, the first of which is that of a task. A period is 2^32 ms, in which the first 16 bits
 * of ids stay the same: `task_lexemes` begins each word with them.
 */
function endOfPeriods(taskId: string, order: TaskOrder, periods: number): string {
  const first = Number.parseInt(taskId.slice(0, 4), 16);
  const end = directions[order] === 'desc' ? Math.max(first - periods + 1, 0) : first + periods;
  if (end > lastPeriod) return 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  return `${end.toString(16).padStart(4, '0')}0000-0000-0000-0000-000000000000`;
}
