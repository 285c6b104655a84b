import { type Category, categories, type TaskType } from '@agora-market/contract';
import { isBarred } from '../../embassy/index.ts';
import { defineFunction, type Queryable, row, rows } from '../../platform/index.ts';
import { takesBuyer } from '../../registry/index.ts';

/**
 * The queue of a category: tasks without an agent. Owners take turns in it, as in round-robin scheduling: whose turn it
 * is has waited longest since it last got an agent there, or since its oldest task joined. Within an owner the oldest
 * task comes first. So however many tasks one owner has in the queue, another waits for one of them at most.
 */

const nobody = '00000000-0000-0000-0000-000000000000';
/** Tasks of `t` that wait for an agent. */
const waits = 't.agent_id is null and t.due_at is not null';

/** Whether any task waits for an agent. */
export const anyQueued = `exists (select from tasks t where ${waits})`;

export const isQueueUsed = async (db: Queryable): Promise<boolean> =>
  (await row<{ used: boolean }>(db, 'queue_used', `select ${anyQueued} as used`))?.used ?? false;

/** Owners with tasks in a queue, how many, and the number by which they are ordered. */
defineFunction(
  'queue_owners',
  `create or replace function queue_owners(p_queue text) returns table (owner_id uuid, tasks int, turn bigint)
language sql stable as $$
  select o.owner_id, o.tasks, greatest(o.oldest, s.turn) from (
    select t.owner_id, count(*)::int as tasks, min(t.turn) as oldest from tasks t where t.queue = p_queue and ${waits}
    group by t.owner_id
  ) o left join lateral (
    select t.turn from tasks t
    where t.queue = p_queue and t.owner_id = o.owner_id and t.agent_id is not null and t.turn is not null
    order by t.turn desc limit 1
  ) s on true
$$`,
);

/** How many tasks an owner has in all queues. */
defineFunction(
  'queued_tasks',
  `create or replace function queued_tasks(p_owner uuid) returns int language sql stable as $$
  select count(*)::int from tasks t where t.owner_id = p_owner and t.queue = any(array[${categories.map((each) => `'${each}'`)}]) and ${waits}
$$`,
);

/** How many tasks each of the owners has in all queues. */
export async function queuedOf(db: Queryable, ownerIds: string[]): Promise<Map<string, number>> {
  const found = await rows<{ ownerId: string; tasks: number }>(
    db,
    'queue_counts',
    `select o.id as "ownerId", queued_tasks(o.id) as tasks from unnest($1::uuid[]) as o(id)`,
    [[...new Set(ownerIds)]],
  );
  return new Map(found.map(({ ownerId, tasks }) => [ownerId, tasks]));
}

/** The categories of agent `a`, without those that its policy leaves out. */
const taken = `array(select c from unnest(a.categories) c where a.takes is null or c = any(a.takes))`;

/** A free agent and a task that waits and that it could take. */
export interface Match {
  agentId: string;
  taskId: string;
  /** Tasks that the agent has room for. */
  room: number;
}

/**
 * For each of the agents that is free, the tasks that it could take: of each owner the oldest, at most so many. Those come
 * first whose owner's turn it is.
 */
export const matches = (
  db: Queryable,
  { agentIds, seenSince, now, most }: { agentIds: string[]; seenSince: Date | null; now: Date; most: number },
): Promise<Match[]> =>
  rows<Match>(
    db,
    'queue_matches',
    `with free as materialized (
       select a.id, a.owner_id, ${taken} as categories, coalesce(a.blocked, '{}') as blocked, a.buyer_limits, coalesce(a.base_rate_cents, 0) as price, r.capacity - s.open_tasks as room
       from unnest($1::uuid[]) as k(id)
       cross join lateral (
         select * from agents where id = k.id and status = 'active' and availability = 'available' and is_open limit 1
       ) a
       cross join lateral (select * from agent_stats where agent_id = a.id limit 1) s
       cross join lateral (
         select agent_capacity(trust_tier) as capacity from reputations where agent_id = a.id limit 1
       ) r
       cross join lateral (select from owners where id = a.owner_id and status = 'active' limit 1) o
       where s.open_tasks < r.capacity and coalesce(s.last_seen_at, s.unanswered_since, 'infinity') >= $2
     ), turns as materialized (
       select q.name as queue, o.owner_id, o.turn, b.* from (select distinct unnest(categories) as name from free) q
       cross join lateral queue_owners(q.name) o cross join lateral buyer_of(o.owner_id) b
     )
     select f.id as "agentId", f.room, m.id as "taskId" from free f cross join lateral (
       -- In the order of the turns, so that it stops after so many.
       select w.id, o.turn from (
         select * from turns where queue = any(f.categories) and owner_id <> f.owner_id and owner_id <> all(f.blocked)
           and ${takesBuyer('f.buyer_limits', 'turns')}
         order by turn
       ) o cross join lateral (
         select t.id from tasks t
         where t.queue = o.queue and t.owner_id = o.owner_id and ${waits} and t.due_at > $3 and t.max_budget >= f.price
           and coalesce(t.submitter_agent_id <> all(f.blocked), true) and not ${isBarred('t', 'f')}
         order by t.turn limit 1
       ) w limit $4
     ) m
     order by m.turn, m.id`,
    [agentIds, seenSince?.toISOString() ?? '-infinity', now.toISOString(), most],
  );

/** How many tasks of a queue are looked at to find one that an agent could take. */
const scanned = 1_000;

/** Of the agents, those for which a task waits that they could take. */
export async function awaitedAmong(db: Queryable, agentIds: string[], now: Date): Promise<Set<string>> {
  const found = await rows<{ id: string }>(
    db,
    'queue_awaited',
    `select a.id from unnest($1::uuid[]) as k(id) cross join lateral (select * from agents where id = k.id limit 1) a
     where exists (
       select from unnest(${taken}) as c(name) cross join lateral (
         select t.owner_id, t.submitter_agent_id, t.queue, t.max_budget, t.due_at from tasks t where t.queue = c.name and ${waits} limit ${scanned}
       ) w
       where w.owner_id <> a.owner_id and w.max_budget >= coalesce(a.base_rate_cents, 0) and w.due_at > $2
         and not coalesce(a.blocked && array[w.owner_id, w.submitter_agent_id], false) and not ${isBarred('w', 'a')}
         and (select ${takesBuyer('a.buyer_limits', 'b')} from buyer_of(w.owner_id) b)
     )`,
    [agentIds, now.toISOString()],
  );
  return new Set(found.map(({ id }) => id));
}

/** What a look for free agents must know of a task in the queue. */
export interface QueuedTask {
  id: string;
  ownerId: string;
  taskType: TaskType;
  maxBudget: number;
  queue: Category;
}

const queuedColumns = `t.id, t.owner_id as "ownerId", t.task_type as "taskType", t.max_budget as "maxBudget", t.queue`;

/** Of the given tasks, those that still wait. */
export const queuedAmong = async (db: Queryable, ids: string[]): Promise<QueuedTask[]> =>
  ids.length === 0
    ? []
    : rows<QueuedTask>(
        db,
        'queue_among',
        `select ${queuedColumns} from unnest($1::uuid[]) as i(id)
         cross join lateral (select * from tasks where id = i.id limit 1) t where ${waits}`,
        [ids],
      );

/** Of each owner in each queue the task with the largest budget: those that come after the last one, so many at most. */
export const queuedAfter = (db: Queryable, last: QueuedTask | undefined, limit: number) =>
  rows<QueuedTask>(
    db,
    'queue_after',
    `select distinct on (t.queue, t.owner_id) ${queuedColumns} from tasks t
     where ${waits} and (t.queue, t.owner_id) > (coalesce($1, ''), coalesce($2::uuid, '${nobody}'))
     order by t.queue, t.owner_id, t.max_budget desc limit $3`,
    [last?.queue ?? null, last?.ownerId ?? null, limit],
  );

/**
 * Place of each of `asked` (queue, owner_id, nth: the how manieth of its owner there it is), if all owners take their turns:
 * until its turn, an owner before it has had as many as its own has with it, and one after it one fewer.
 */
const places = (asked: string) => `with asked as materialized (${asked}), owners as materialized (
    select q.queue, o.* from (select distinct queue from asked) q cross join lateral queue_owners(q.queue) o
  )
  select a.*, a.nth + coalesce((
    select sum(least(o.tasks, case when o.turn > own.turn then a.nth - 1 else a.nth end)) from owners o
    where o.queue = a.queue and o.owner_id <> a.owner_id
  ), 0)::int as place
  from asked a left join owners own on own.queue = a.queue and own.owner_id = a.owner_id`;

/** Places of tasks that wait, and when their time is over. */
export const placesOf = (db: Queryable, ids: string[]) =>
  rows<{ id: string; place: number; until: string }>(
    db,
    'queue_places',
    places(`select t.id, t.due_at as until, t.queue, t.owner_id, (
        select count(*)::int from tasks o
        where o.queue = t.queue and o.owner_id = t.owner_id and o.agent_id is null and o.due_at is not null and o.turn <= t.turn
      ) as nth
      from unnest($1::uuid[]) as i(id) cross join lateral (select * from tasks where id = i.id limit 1) t where ${waits}`),
    [ids],
  );

/** The place that an owner's next task would have. */
export async function nextPlace(db: Queryable, queue: Category, ownerId: string): Promise<number> {
  const found = await row<{ place: number }>(
    db,
    'queue_next_place',
    places(`select $1::text as queue, $2::uuid as owner_id, 1 + (
        select count(*)::int from tasks t where t.queue = $1 and t.owner_id = $2 and ${waits}
      ) as nth`),
    [queue, ownerId],
  );
  return found?.place ?? 1;
}
