import { type Clock, type Config, type Job, type Pool, type Queryable, row, rows } from '../platform/index.ts';

/** Listings looked at in one run of the job. */
const listingsAtOnce = 1_000;
/** A round through all listings takes a minute, or longer where there are more than 60,000. */
const roundMs = 60_000;

interface Place {
  agentId: string;
  category: string;
}
const beforeAll: Place = { agentId: '00000000-0000-0000-0000-000000000000', category: '' };

/**
 * Marks the listings of agents that have polled and do so no more, which the looks for candidates then pass over. Only
 * polling brings such an agent back, and it takes the mark away at once (`unsilence`), or here where a row was in use. Those
 * that never polled and left a task unanswered are not marked, for there are few, and what they answer brings them back.
 */
export function silenceJob({ pool, clock, config }: { pool: Pool; clock: Clock; config: Config }): Job {
  let after = beforeAll;
  let restUntilMs = Number.NEGATIVE_INFINITY;
  let startedMs = 0;
  return {
    name: 'registry.markSilent',
    async run() {
      const nowMs = clock.now().getTime();
      if (nowMs < restUntilMs) return;
      if (after === beforeAll) startedMs = nowMs;
      const { AGENT_SILENT_MS: silentMs } = config;
      const last = await markSilent(pool, after, silentMs === 0 ? null : new Date(nowMs - silentMs));
      after = last ?? beforeAll;
      if (last === null) restUntilMs = startedMs + roundMs;
    },
  };
}

/** The last listing that it looked at; null where there are no more. Those that somebody writes wait for the next round. */
const markSilent = (db: Queryable, after: Place, seenSince: Date | null) =>
  row<Place>(
    db,
    'registry_mark_silent',
    `with looked_at as materialized (
       select agent_id, category, silent from agent_listings
       where (agent_id, category) > ($1, $2) order by agent_id, category limit $3
     ), due as materialized (
       select l.agent_id, l.category, not l.silent as silent from looked_at l
       cross join lateral (select * from agent_stats s where s.agent_id = l.agent_id limit 1) s
       cross join lateral (
         select from agent_listings x where x.agent_id = l.agent_id and x.category = l.category for update skip locked
       ) x
       where l.silent <> (coalesce(s.last_seen_at, 'infinity') < $4)
     ), marked as (
       update agent_listings l set silent = d.silent from due d where l.agent_id = d.agent_id and l.category = d.category
     )
     select agent_id as "agentId", category from looked_at order by agent_id, category offset $3 - 1`,
    [after.agentId, after.category, listingsAtOnce, seenSince?.toISOString() ?? '-infinity'],
  );

/** Of agents that have polled. */
export const unsilence = (db: Queryable, agentIds: string[]) =>
  rows(
    db,
    'registry_unsilence',
    `with due as materialized (
       select l.* from unnest($1::uuid[]) as k(id) cross join lateral (
         select agent_id, category from agent_listings where agent_id = k.id and silent for update skip locked
       ) l
     )
     update agent_listings l set silent = false from due d where l.agent_id = d.agent_id and l.category = d.category`,
    [agentIds],
  );
