import { openStatuses, type TaskFailure, terminalStatuses } from '@agora-market/contract';
import { column, defineFunction, type Queryable, type RowOf, rows, selectList } from '../../platform/index.ts';
import { verbOf } from '../failures.ts';
import { type TaskRow, taskColumns } from '../sql.ts';

/** A task as lists read it: of its input the heading, of its output whether there is one. */
const listedColumns = {
  ...taskColumns,
  input: column<TaskRow['input']>('coalesce(x.heading, task_heading(t.input))'),
  output: column<TaskRow['output']>("case when t.output is not null then '{}'::json end"),
};
const named = { agentName: column<string | null>('a.display_name') };

const selected = {
  heading: selectList({ ...listedColumns, ...named }),
  content: selectList({ ...taskColumns, ...named }),
};

export type ListedRow = TaskRow & RowOf<typeof named>;

/** Whose tasks a list has. */
export type ListOf =
  | { by: 'owner'; ownerId: string }
  | { by: 'assignee' | 'submitter'; ownerId: string; agentId: string };

const idColumns = { owner: 'owner_id', assignee: 'agent_id', submitter: 'submitter_agent_id' } as const;

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
  /** Cents. */
  least: number | null;
  most: number | null;
  /** Ids are of the time of submission: tasks between two of them. */
  above: string;
  below: string;
  isOldestFirst: boolean;
}

/** The statuses that a filter asks for by one word. */
export function statusesOf(status: string | undefined): readonly string[] | null {
  if (status === undefined) return null;
  if (status === 'ended') return terminalStatuses;
  if (status === 'open') return openStatuses;
  return [status];
}

const amount = 'coalesce(t.credits_charged, case when t.agent_id is null then t.max_budget else t.price end)';

const fits = (by: ListOf['by']) => `t.${idColumns[by]} = $1 and t.id > $2 and t.id < $3
   and ($4::task_status[] is null or t.status = any($4)) and ($5::text is null or t.status = 'failed' and t.failed_by = $5)
   and ($6::text is null or t.task_type = $6) and ($7::uuid is null or t.agent_id = $7)
   and ($8::text is null or coalesce(x.heading, task_heading(t.input)) ->> 'project' = $8)
   and ($9::text is null or coalesce(x.heading, task_heading(t.input)) -> 'tags' ? $9)
   and ($10::int8 is null or ${amount} >= $10) and ($11::int8 is null or ${amount} <= $11)`;

/** Words as a query over the texts of one owner; null where there are none. */
defineFunction(
  'task_words',
  `create or replace function task_words(p_owner uuid, p_words text) returns tsquery language sql immutable as $$
  select ('''' || task_owner_lexeme(p_owner) || '''')::tsquery && search_words(p_words)
$$`,
);

/** Tasks whose text has all words, by the index of words whatever the planner takes them to be. */
defineFunction(
  'task_texts_find',
  `create or replace function task_texts_find(p_words tsquery, p_above uuid, p_below uuid) returns setof uuid
language sql stable rows 1000 set enable_seqscan = off set enable_indexscan = off as $$
  select task_id from task_texts where document @@ p_words and task_id > p_above and task_id < p_below
$$`,
);

/** Texts that are looked through from the end of the list before the index of words is asked: most words are in some. */
const lookedThrough = 1_000;

type Source = 'all' | 'one' | 'nearest' | 'found';

/** Each by its key, wherever the planner would rather read a whole table. */
const texts = 'left join lateral (select heading from task_texts where task_id = t.id limit 1) x on true';
const joined = `cross join lateral (select * from tasks where id = f.task_id limit 1) t ${texts}`;

/** Where tasks are taken from, in order; the parameters after the twelfth are its own. */
const sources: Record<Source, (order: string) => string> = {
  all: () => `tasks t ${texts}`,
  one: () => `(select $13::uuid as task_id) f ${joined}`,
  nearest: (
    order,
  ) => `(select n.task_id from (select * from task_texts where owner_id = $13 and task_id > $2 and task_id < $3
      order by task_id ${order} limit ${lookedThrough}) n where n.document @@ task_words($13, $14) order by n.task_id ${order}) f ${joined}`,
  found: (order) => `(select n.task_id from task_texts_find(task_words($13, $14), $2, $3) as n(task_id)
      order by n.task_id ${order}) f ${joined}`,
};

/** Tasks of one source in the order of the list. */
function take(db: Queryable, of: ListOf, filter: ListFilter, { source, what, limit }: Take): Promise<ListedRow[]> {
  const order = filter.isOldestFirst ? 'asc' : 'desc';
  const own = { all: [], one: [filter.taskId], nearest: [of.ownerId, filter.words], found: [of.ownerId, filter.words] };
  return rows<ListedRow>(
    db,
    `tasks_list_${of.by}_${source}_${order}_${what}`,
    `select ${selected[what]} from ${sources[source](order)} left join lateral (select display_name from agents where id = t.agent_id limit 1) a on true
     where ${fits(of.by)} order by t.id ${order} limit $12`,
    [
      of.by === 'owner' ? of.ownerId : of.agentId,
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
      ...own[source],
    ],
  );
}

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
  if (filter.words === null) return take(db, of, filter, { ...which, source: 'all' });
  const near = await take(db, of, filter, { ...which, source: 'nearest' });
  return near.length === which.limit ? near : take(db, of, filter, { ...which, source: 'found' });
}
