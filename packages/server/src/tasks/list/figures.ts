import {
  type Operations,
  openStatuses,
  type ReplyOf,
  type TaskFailure,
  taskFailures,
  toUuid,
} from '@agora-market/contract';
import { type Call, dayMs, firstIdAt, type Pool, type Queryable, rows } from '../../platform/index.ts';
import { failureOf } from '../failures.ts';
import type { TaskRow } from '../sql.ts';
import { statusesOf } from './sql.ts';

type Figures = ReplyOf<Operations['tasks.assignedFigures']>;

/** No task is open for longer: waiting, work and judging together are a few days at most. */
export const openAtMostMs = 14 * dayMs;
const monthMs = 30 * dayMs;

type Sum = Pick<TaskRow, 'status' | 'failedBy'> & { isAccepted: boolean; tasks: number; earned: number };

/** What the agents of an owner have and have ended lately, together by how it stands. */
const sumsOf = (db: Queryable, ownerId: string, agentId: string | null, now: Date) =>
  rows<Sum>(
    db,
    'tasks_assigned_figures',
    // Each agent's tasks by its index of them: the open ones, and those that can have ended in the time.
    `select t.status, t.failed_by as "failedBy", t.accepted_at is not null as "isAccepted", count(*)::int as tasks,
       coalesce(sum(t.credits_charged - t.credits_charged * t.fee_bps / 10000), 0)::bigint as earned
     from agents a cross join lateral (
       select * from tasks where agent_id = a.id and id >= $3 and (due_at is not null or finished_at >= $4)
     ) t where a.owner_id = $1 and ($2::uuid is null or a.id = $2) group by 1, 2, 3`,
    [
      ownerId,
      agentId,
      firstIdAt(new Date(now.getTime() - monthMs - openAtMostMs)),
      new Date(now.getTime() - monthMs).toISOString(),
    ],
  );

export async function assignedFigures(
  pool: Pool,
  { caller, query, now }: Call<Operations['tasks.assignedFigures']>,
): Promise<Figures> {
  const agentId = query.agentId === undefined ? null : toUuid('agent', query.agentId);
  const sums = await sumsOf(pool, caller.ownerId, agentId, now);
  const count = (fits: (sum: Sum) => boolean) => sums.filter(fits).reduce((all, { tasks }) => all + tasks, 0);
  const inGroup = (group: string) => count(({ status }) => statusesOf(group)?.includes(status) ?? false);
  const failed = (failure: TaskFailure) =>
    count(({ failedBy, isAccepted }) => !isAccepted && failureOf(failedBy) === failure);
  return {
    waiting: inGroup('waiting'),
    running: inGroup('running'),
    lastMonth: {
      delivered: count(({ status, isAccepted }) => status === 'completed' || isAccepted),
      failed: Object.fromEntries(taskFailures.map((failure) => [failure, failed(failure)])) as Record<
        TaskFailure,
        number
      >,
      refunded: count(({ status }) => status === 'refunded'),
      earned: sums.filter(({ status }) => !openStatuses.includes(status)).reduce((all, { earned }) => all + earned, 0),
    },
  };
}
