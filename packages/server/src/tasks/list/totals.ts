import { type Operations, type ReplyOf, toId, totalsMaxDays } from '@agora-market/contract';
import { type Call, dayMs, invalidField, type Queryable, rows } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { filterOf } from './list.ts';
import { filterValues, fits, headingOf, type ListFilter, type ListOf, sourceOf } from './sql.ts';

type Totals = ReplyOf<Operations['tasks.totals']>;
type By = Totals['by'];

const defaultDays = 30;
/** Of groups that are not days or months. */
const mostGroups = 100;

const days = (format: string) => (zone: string) => `to_char(t.created_at at time zone ${zone}, '${format}')`;

const keys: Record<By, (zone: string) => string> = {
  day: days('YYYY-MM-DD'),
  month: days('YYYY-MM'),
  taskType: () => 't.task_type',
  agent: () => 't.agent_id::text',
  project: () => `nullif(${headingOf} ->> 'project', '')`,
  status: () => 't.status::text',
};

type Sums = Totals['total'];
type GroupRow = Sums & { key: string | null; name: string | null; all: Sums };

const sumsOf = (tasks: string, charged: string, held: string) =>
  `json_build_object('tasks', ${tasks}, 'charged', ${charged}, 'held', ${held})`;

interface Asked {
  by: By;
  timeZone: string;
}

/** Groups of tasks with their sums, each with the sums of all. */
function addUp(db: Queryable, of: ListOf, filter: ListFilter, { by, timeZone }: Asked): Promise<GroupRow[]> {
  const isOfTime = by === 'day' || by === 'month';
  const name = by === 'agent' ? '(select display_name from agents where id = g.key::uuid)' : 'null::text';
  const { source, from, values } = sourceOf(of, filter);
  const given = [...filterValues(of, filter, isOfTime ? totalsMaxDays + 1 : mostGroups), ...values];
  return rows<GroupRow>(
    db,
    `tasks_totals_${of.by}_${source}_${by}`,
    `select key, ${name} as name, tasks, charged, held,
       ${sumsOf('sum(tasks) over ()', 'sum(charged) over ()', 'sum(held) over ()')} as all
     from (select ${keys[by](`$${given.length + 1}::text`)} as key, count(*)::int as tasks,
         coalesce(sum(t.credits_charged), 0)::bigint as charged,
         coalesce(sum(t.max_budget) filter (where t.credits_charged is null), 0)::bigint as held
       from ${from} where ${fits(of.by)} group by 1) g
     order by ${isOfTime ? 'key' : 'charged desc, tasks desc, key'} limit $12`,
    isOfTime ? [...given, timeZone] : given,
  );
}

/** PostgreSQL knows other names of time zones than Node, though few. */
const isUnknownZone = (error: unknown) => (error as { code?: string }).code === '22023';

/** What an owner's tasks of some days cost, by one of their properties. */
export async function totalTasks(
  { pool }: TaskDeps,
  { caller: { ownerId }, query, now }: Call<Operations['tasks.totals']>,
): Promise<Totals> {
  const { by, timeZone, ...filters } = query;
  const to = new Date(filters.createdBefore ?? now.getTime() + 1);
  const from = new Date(filters.createdFrom ?? to.getTime() - defaultDays * dayMs);
  if (to.getTime() - from.getTime() > totalsMaxDays * dayMs)
    throw invalidField('createdFrom', `must be at most ${totalsMaxDays} days before createdBefore`);
  const period = { createdFrom: from.toISOString(), createdBefore: to.toISOString() };
  const filter = filterOf({ ...filters, ...period })(null);
  const groups = await addUp(pool, { by: 'owner', ownerId }, filter, { by, timeZone }).catch((error) => {
    throw isUnknownZone(error) ? invalidField('timeZone', 'is not known here. Give one of a large city near') : error;
  });
  return {
    from: period.createdFrom,
    to: period.createdBefore,
    by,
    currency: 'USD',
    total: groups[0]?.all ?? { tasks: 0, charged: 0, held: 0 },
    groups: groups.map(({ all: _all, key, ...group }) => ({
      ...group,
      key: by === 'agent' && key !== null ? toId('agent', key) : key,
    })),
  };
}
