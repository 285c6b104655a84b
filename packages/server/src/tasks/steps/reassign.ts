import { defineStep } from '../../platform/index.ts';
import { sqlFrom, sqlTo } from './states.ts';

export interface ReassignItem {
  taskId: string;
  /** The agent that has the task, and no other, loses it. */
  fromAgentId: string;
  /** `not_accepted` is taken only once the time to accept has run out. */
  because: 'declined' | 'not_accepted';
  /** What the declining agent said. */
  reason: string | null;
  agentId: string;
  /** The ids of both agents as the wire has them, for the events. */
  names: { from: string; to: string };
  price: number;
  /** List price that `price` was agreed on, in cents; null for none. Where the agent has changed it, so says the outcome. */
  baseRate: number | null;
  /** Never later than the end of the input. */
  acceptBy: string;
  /** Agents that a task is offered to in all. */
  tries: number;
  at: string;
}

export interface ReassignOutcome {
  /** `again` is answered by the writer (see `Step`); `tried`: the task may not go to that agent, or to no further one. */
  outcome:
    | 'ok'
    | 'again'
    | 'not_party'
    | 'wrong_state'
    | 'not_due'
    | 'tried'
    | 'agent_gone'
    | 'agent_changed'
    | 'agent_full';
  status: string;
}

/**
 * Gives routed tasks to another agent; results equal those of one after the other. The hold stays as it is: it is the
 * budget, and the new price lies within it. In a batch an agent can gain tasks and lose some: what fits even if it loses
 * none is given, what does not even if it loses all is refused, and the few between are left for the next batch.
 */
export const reassignStep = defineStep<ReassignItem, ReassignOutcome>({
  name: 'tasks_reassign',
  key: (item) => item.taskId,
  topics: (item, { outcome }) => (outcome === 'ok' ? [`agent:${item.agentId}`, `task:${item.taskId}`] : []),
  sql: `create or replace function tasks_reassign(p_items json)
returns table (ord int, outcome text, status text) language plpgsql as $$
begin
  return query
  with item as materialized (
    select i.*, row_number() over () as ord from json_to_recordset(p_items) as i(
      "taskId" uuid, "fromAgentId" uuid, because text, reason text, "agentId" uuid, names json, price bigint,
      "baseRate" bigint, "acceptBy" timestamptz, tries int, at timestamptz)
  ), found as materialized (
    select i.*, t.status, t.agent_id, t.owner_id, t.correlation_id, t.due_at,
      coalesce(t.earlier_agents, '{}') || t.agent_id as tried, least(i."acceptBy", t.input_expires_at) as accept_by
    from item i cross join lateral (
      select x.* from tasks x where x.id = i."taskId" for update
    ) t
  ), known as materialized (
    select f.*, case
      when f.agent_id <> f."fromAgentId" then 'not_party'
      when f.status not in ${sqlFrom('reassign')} then 'wrong_state'
      when f.because = 'not_accepted' and f.due_at > f.at then 'not_due'
      when cardinality(f.tried) >= f.tries or f."agentId" = any(f.tried) or f.accept_by <= f.at then 'tried'
      when a.active is not true or a.owner_id = f.owner_id then 'agent_gone'
      when a.base_rate is distinct from f."baseRate" then 'agent_changed' end as refusal, a.open_tasks, a.capacity
    from found f left join lateral (
      select x.status = 'active' and o.status = 'active' as active, x.base_rate_cents as base_rate, x.owner_id,
        s.open_tasks, agent_capacity(s.trust_tier) as capacity
      from agents x, agent_stats s, owners o
      where x.id = f."agentId" and s.agent_id = x.id and o.id = x.owner_id limit 1
    ) a on true
  ), decided as materialized (
    select k.*, case
      when k.refusal is not null then k.refusal
      when k.open_tasks + (select count(*) from known o
        where o.ord < k.ord and o.refusal is null and o."agentId" = k."agentId") < k.capacity then 'ok'
      when k.open_tasks - (select count(*) from known o
        where o.ord < k.ord and o.refusal is null and o.agent_id = k."agentId") >= k.capacity then 'agent_full'
      else 'again' end as outcome
    from known k
  ), good as materialized (
    select d.* from decided d where d.outcome = 'ok'
  ), changed as (
    update tasks t set status = ${sqlTo('reassign')}, agent_id = g."agentId", price = g.price, assigned_at = g.at,
      accept_by = g.accept_by, due_at = g.accept_by, earlier_agents = g.tried, sandbox_id = null
    from good g where t.id = g."taskId"
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select e.type, 'tasks', g.at, g."taskId", e.agent, g.owner_id, g.correlation_id, e.data
    from good g cross join lateral (values
      (1, 'task.unassigned', g.agent_id, json_build_object('agentId', g.names ->> 'from', 'because', g.because,
        'reason', g.reason)),
      (2, 'task.assigned', g."agentId", json_build_object('status', ${sqlTo('reassign')}, 'price', g.price,
        'agentId', g.names ->> 'to', 'attempt', cardinality(g.tried) + 1))
    ) as e(nth, type, agent, data)
    order by g.ord, e.nth
  ), released as materialized (
    select agents_record(array_agg(g.agent_id order by g.ord), array_agg(case g.because when 'declined' then 'declined' else 'released' end), array_agg(0),
      array_agg(0::bigint), array_agg(g.at order by g.ord), array_agg(g.correlation_id order by g.ord))
    from good g having count(*) > 0
  ), counted as materialized (
    select agents_assign(array_agg(g."agentId")) from good g having count(*) > 0
  )
  select d.ord::int, d.outcome, d.status::text from decided d
  cross join (select count(*) from released) r cross join (select count(*) from counted) c;
end $$`,
});
