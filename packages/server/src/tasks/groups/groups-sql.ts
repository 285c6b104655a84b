import { judgingStatuses } from '@agora-market/contract';
import { type Queryable, row, rows, sqlList } from '../../platform/index.ts';
import type { Shortlisted } from './attempts.ts';

const shortlisted = `t.status in ${sqlList(judgingStatuses)} and t.assessment_id is not null`;

/** Groups with a shortlisted attempt that is due, each as the ids of all its attempts. */
export const dueGroups = async (db: Queryable, now: Date, limit: number): Promise<string[][]> =>
  (
    await rows<{ ids: string[] }>(
      db,
      'groups_due',
      `select distinct d.ids from (
         select t.group_tasks as ids from tasks t where t.due_at <= $1 and ${shortlisted} order by t.due_at limit $2
       ) d`,
      [now.toISOString(), limit],
    )
  ).map(({ ids }) => ids);

export interface AttemptRow extends Shortlisted {
  feeBps: number;
}

/** Attempts as they are compared. */
export const attemptsOf = (db: Queryable, ids: string[]) =>
  rows<AttemptRow>(
    db,
    'groups_attempts',
    `select t.id, t.status, t.assessment_id as "assessmentId", t.quality_score as "qualityScore", t.price,
       t.fee_bps as "feeBps", coalesce(d.at, t.created_at) as "deliveredAt"
     from unnest($1::uuid[]) as i(id) cross join lateral (select * from tasks where id = i.id limit 1) t
     left join lateral (
       select at from events where task_id = t.id and type = 'task.delivered' order by seq desc limit 1
     ) d on true`,
    [ids],
  );

/**
 * Shortlisted attempts of groups that wait for others are not due before one of those ends. To be called under the
 * ledger's lock, so that none ends meanwhile unseen.
 */
export const parkAttempts = (tx: Queryable, ids: string[]) =>
  rows(
    tx,
    'groups_park',
    `update tasks t set due_at = 'infinity' where t.id = any($1::uuid[]) and ${shortlisted}
       and exists (
         select from unnest(t.group_tasks) as i(id) cross join lateral (select * from tasks where id = i.id limit 1) x
         where x.due_at is not null and x.assessment_id is null)`,
    [ids],
  );

/** Who has the other attempts at a task: the owners of their agents, and the agents that they have passed by. */
export const othersAt = (db: Queryable, taskId: string, groupTasks: string[]) =>
  row<{ owners: string[]; passed: string[] }>(
    db,
    'groups_others',
    `select array_agg(a.owner_id) as owners,
       coalesce((select array_agg(p.agent) from tasks e, unnest(e.earlier_agents) as p(agent)
         where e.id = any($2::uuid[]) and e.id <> $1), '{}') as passed
     from tasks t join agents a on a.id = t.agent_id where t.id = any($2::uuid[]) and t.id <> $1`,
    [taskId, groupTasks],
  );

/** Owners of the agents that have these tasks now. */
export const ownersOf = async (db: Queryable, taskIds: string[]): Promise<Map<string, string>> => {
  const found = await rows<{ id: string; ownerId: string }>(
    db,
    'groups_owners',
    `select t.id, a.owner_id as "ownerId" from unnest($1::uuid[]) as i(id)
     cross join lateral (select * from tasks where id = i.id limit 1) t
     cross join lateral (select owner_id from agents where id = t.agent_id limit 1) a`,
    [taskIds],
  );
  return new Map(found.map(({ id, ownerId }) => [id, ownerId]));
};
