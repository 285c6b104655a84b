import { openTasksByTier } from '@agora-market/contract';
import { defineFunction } from '../platform/index.ts';

const capacity = Object.entries(openTasksByTier)
  .map(([tier, tasks]) => `when '${tier}' then ${tasks}`)
  .join(' ');

/** How many open tasks an agent may hold before smart routing passes it over. */
defineFunction(
  'agent_capacity',
  `create or replace function agent_capacity(p_tier text) returns int language sql immutable as $$
  select case p_tier ${capacity} else 0 end
$$`,
);

/**
 * Counts tasks that were routed to agents, or hired directly and now started, which changes neither score nor tier. An
 * agent stands in the array once for each.
 */
defineFunction(
  'agents_assign',
  `create or replace function agents_assign(p_agent uuid[]) returns void language sql as $$
  with assigned as materialized (
    select a.agent, count(*)::int as tasks from unnest(p_agent) as a(agent) group by a.agent order by a.agent
  ), locked as materialized (
    select a.* from assigned a
    cross join lateral (select from agent_stats where agent_id = a.agent for update) s
  )
  update agent_stats s set open_tasks = s.open_tasks + l.tasks from locked l where s.agent_id = l.agent
$$`,
);

/**
 * Counts tasks that agents have no more, and notes who answered: who ended a task that it had started, or declined one.
 * What it says of the agents is read from the events (see `reputation/reader.ts`).
 */
defineFunction(
  'agents_release',
  `create or replace function agents_release(p_agent uuid[], p_answered boolean[]) returns void language sql as $$
  with released as materialized (
    select a.agent, count(*)::int as tasks, bool_or(a.answered) as answered
    from unnest(p_agent, p_answered) as a(agent, answered) group by a.agent order by a.agent
  ), locked as materialized (
    select a.* from released a
    cross join lateral (select from agent_stats where agent_id = a.agent for update) s
  )
  update agent_stats s set open_tasks = s.open_tasks - l.tasks,
    unanswered_since = case when not l.answered then s.unanswered_since end
  -- By key and not by ctid, for the row may be newer than this statement's snapshot (see tasks/steps/states.ts).
  from locked l where s.agent_id = l.agent
$$`,
);
