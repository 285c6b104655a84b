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
 * agent stands in the array once for each. The caller has locked the rows, as in the function below.
 */
defineFunction(
  'agents_assign',
  `create or replace function agents_assign(p_agent uuid[]) returns void language sql as $$
  with assigned as materialized (
    select a.agent, count(*)::int as tasks from unnest(p_agent) as a(agent) group by a.agent
  )
  update agent_stats s set open_tasks = s.open_tasks + a.tasks from assigned a where s.agent_id = a.agent
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
    from unnest(p_agent, p_answered) as a(agent, answered) group by a.agent
  )
  update agent_stats s set open_tasks = s.open_tasks - r.tasks,
    unanswered_since = case when not r.answered then s.unanswered_since end
  from released r where s.agent_id = r.agent
$$`,
);
