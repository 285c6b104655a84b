import type { EventType } from '@agora-market/contract';
import { readOutbox, unread } from '../../events/index.ts';
import { defineFunction, type Job, type Queryable, row, rows, transaction } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';

/** What lists show and search finds of a task: `task_texts`, written by a job that follows the event log. */

/** The part of an input that a list shows: its title and what it is made of, tags, project, and whether a pull request is wanted. */
defineFunction(
  'task_heading',
  `create or replace function task_heading(p_input json) returns jsonb language sql immutable as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'title', left(i ->> 'title', 200), 'description', left(ltrim(i ->> 'description', E' \\t\\r\\n'), 400),
    'tags', i -> 'tags', 'project', i ->> 'project',
    'repo', case when i #> '{repo,pullRequest}' is not null then jsonb_build_object('pullRequest', i #> '{repo,pullRequest}') end
  )) from (select p_input::jsonb as i) x
$$`,
);

defineFunction(
  'task_texts_put',
  `create or replace function task_texts_put(p_tasks uuid[]) returns void language sql as $$
  insert into task_texts (task_id, owner_id, heading, document)
  select t.id, t.owner_id, task_heading(t.input), array_to_tsvector(array(
      select distinct left(word, 64) from string_to_table(search_spelling(concat_ws(' ', i ->> 'title',
        left(i ->> 'description', 10000), i ->> 'tags', i ->> 'project', replace(i ->> 'metadata', '\\n', ' '),
        a.display_name)), ' ') as word where word <> ''))
  from unnest(p_tasks) k
  cross join lateral (select * from tasks where id = k limit 1) t
  cross join lateral (select t.input::jsonb as i) x
  left join agents a on a.id = t.agent_id
  on conflict (task_id) do update set heading = excluded.heading, document = excluded.document
  where (task_texts.heading, task_texts.document) is distinct from (excluded.heading, excluded.document)
$$`,
);

/** Writes the texts of these tasks anew. */
export const putTexts = (db: Queryable, taskIds: readonly string[]) =>
  rows(db, 'task_texts_put', 'select task_texts_put($1)', [taskIds]);

/** Writes anew the texts of the next tasks that agents of an owner have had, after an id; gives the last one, null at the end. */
export const renewTexts = async (
  db: Queryable,
  ownerId: string,
  after: string,
  limit: number,
): Promise<string | null> =>
  (
    await row<{ last: string | null }>(
      db,
      'task_texts_renew',
      `select (array_agg(id order by id desc))[1] as last, task_texts_put(array_agg(id)) from (
         select t.id from agents a join tasks t on t.agent_id = a.id where a.owner_id = $1 and t.id > $2 order by t.id limit $3
       ) due having count(*) > 0`,
      [ownerId, after, limit],
    )
  )?.last ?? null;

const reader = 'tasks.texts';
const eventsAtOnce = 500;
/** Each input may have a megabyte, which one statement has to read within its time. */
const textsAtOnce = 50;
/** A task is named by its agent as well, which it may get later. */
const wanted: readonly EventType[] = ['task.submitted', 'task.assigned'];

/** Follows the event log. Any number of servers may: one at a time reads. */
async function followLog({ pool, stopping }: TaskDeps): Promise<void> {
  for (let isMore = true; isMore && !stopping.aborted; ) {
    isMore = await transaction(pool, 'write', async (tx) => {
      const found = await readOutbox(tx, reader, eventsAtOnce, wanted);
      const ids = [...new Set(found.events.flatMap(({ taskId }) => taskId ?? []))];
      for (let at = 0; at < ids.length; at += textsAtOnce) await putTexts(tx, ids.slice(at, at + textsAtOnce));
      return found.isMore;
    });
  }
}

export const textJobs = (deps: TaskDeps): Job[] => [
  { name: 'tasks.writeTexts', due: unread(reader), run: () => followLog(deps) },
];
