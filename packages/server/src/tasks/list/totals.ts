import { type Operations, type ReplyOf, toId, totalsMaxDays } from '@agora-market/contract';
import { type Call, createFairSemaphore, dayMs, invalidField, type Queryable, rows } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { filterOf, listOf } from './list.ts';
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

/** What is left of what buyers paid, as `splitPrice` has it of each. */
const earned = 'coalesce(sum(t.credits_charged - t.credits_charged * t.fee_bps / 10000), 0)::bigint';

interface Asked {
  by: By;
  timeZone: string;
  /** Of tasks that the caller does as an agent, or its agents do. */
  isSold: boolean;
}

/** A year of a busy owner takes seconds, so each owner adds up one at a time, and leaves a connection to another. */
const turns = createFairSemaphore(2, 1);

/** Groups of tasks with their sums, each with the sums of all. */
function addUp(db: Queryable, of: ListOf, filter: ListFilter, { by, timeZone, isSold }: Asked): Promise<GroupRow[]> {
  const isOfTime = by === 'day' || by === 'month';
  const name = by === 'agent' ? '(select display_name from agents where id = g.key::uuid)' : 'null::text';
  const withTexts = by === 'project' || filter.project !== null || filter.tag !== null;
  const { source, from, values } = sourceOf(of, filter, withTexts);
  const given = [...filterValues(of, filter, isOfTime ? totalsMaxDays + 1 : mostGroups), ...values];
  return rows<GroupRow>(
    db,
    `tasks_totals_${of.by}_${source}_${by}_${withTexts ? 'texts' : 'alone'}`,
    `select key, ${name} as name, tasks, charged, held, earned, json_build_object('tasks', sum(tasks) over (),
         'charged', sum(charged) over (), 'held', sum(held) over (), 'earned', sum(earned) over ()) as all
     from (select ${keys[by](`$${given.length + 1}::text`)} as key, count(*)::int as tasks,
         coalesce(sum(t.credits_charged), 0)::bigint as charged,
         coalesce(sum(t.max_budget) filter (where t.credits_charged is null), 0)::bigint as held,
         ${isSold ? earned : 'null::bigint'} as earned
       from ${from} where ${fits(of.by)} group by 1) g
     order by ${isOfTime ? 'key' : `${isSold ? 'earned' : 'charged'} desc, tasks desc, key`} limit $12`,
    isOfTime ? [...given, timeZone] : given,
  );
}

/** PostgreSQL knows other names of time zones than Node, though few. */
const isUnknownZone = (error: unknown) => (error as { code?: string }).code === '22023';

/** What tasks of some days cost their submitter, or earned for who did them, by one of their properties. */
export async function totalTasks(
  { pool }: TaskDeps,
  { caller, query, now }: Call<Operations['tasks.totals']>,
): Promise<Totals> {
  const { by, timeZone, role: _, ...filters } = query;
  const of = listOf(caller, query);
  const isSold = of.by === 'seller' || of.by === 'assignee';
  if (isSold && by === 'project') throw invalidField('by', 'cannot be project for tasks that others submitted');
  const to = new Date(filters.createdBefore ?? now.getTime() + 1);
  const from = new Date(filters.createdFrom ?? to.getTime() - defaultDays * dayMs);
  if (to.getTime() - from.getTime() > totalsMaxDays * dayMs)
    throw invalidField('createdFrom', `must be at most ${totalsMaxDays} days before createdBefore`);
  const period = { createdFrom: from.toISOString(), createdBefore: to.toISOString() };
  const filter = filterOf({ ...filters, ...period })(null);
  const groups = await turns(1, () => addUp(pool, of, filter, { by, timeZone, isSold }), of.ownerId).catch((error) => {
    throw isUnknownZone(error) ? invalidField('timeZone', 'is not known here. Give one of a large city near') : error;
  });
  return {
    from: period.createdFrom,
    to: period.createdBefore,
    by,
    currency: 'USD',
    total: groups[0]?.all ?? { tasks: 0, charged: 0, held: 0, earned: isSold ? 0 : null },
    groups: groups.map(({ all: _all, key, ...group }) => ({
      ...group,
      key: by === 'agent' && key !== null ? toId('agent', key) : key,
    })),
  };
}
