import { defineStep } from '../../platform/index.ts';

export interface SubmitItem {
  id: string;
  ownerId: string;
  submitterAgentId: string | null;
  agentId: string;
  /** Routed by the platform, so that the agent's capacity counts; a direct hire may queue. */
  routed: boolean;
  taskType: string;
  maxBudget: number;
  price: number;
  input: unknown;
  inputExpiresAt: string;
  acceptBy: string;
  deadlineMs: number;
  correlationId: string;
  at: string;
}

export interface SubmitOutcome {
  /** `again`: an earlier item of the same batch left it undecided; submit the item once more. */
  outcome: 'ok' | 'again' | 'short' | 'agent_full' | 'agent_gone';
  /** What the pool had when the item was refused, in cents. */
  available: number;
}

/**
 * Stores tasks and holds their budgets. Within a batch the pool is given out in order: items up to the first that does
 * not fit are exact; after it, what is dearer than the rest of the pool is short for certain, and what is cheaper is
 * left undecided, so that results equal those of one after the other.
 */
export const submitStep = defineStep<SubmitItem, SubmitOutcome>({
  name: 'tasks_submit',
  key: (item) => item.id,
  topics: (item, { outcome }) => (outcome === 'ok' ? [`agent:${item.agentId}`, `task:${item.id}`] : []),
  sql: `create or replace function tasks_submit(p_items json)
returns table (ord int, outcome text, available bigint) language plpgsql as $$
begin
  return query
  with item as materialized (
    select i.*, row_number() over () as ord from json_to_recordset(p_items) as i(
      id uuid, "ownerId" uuid, "submitterAgentId" uuid, "agentId" uuid, routed boolean, "taskType" text,
      "maxBudget" bigint, price bigint, input json, "inputExpiresAt" timestamptz, "acceptBy" timestamptz,
      "deadlineMs" bigint, "correlationId" text, at timestamptz)
  ), known as materialized (
    select i.*, coalesce(p.balance, 0) as balance, a.status as agent_status, a.open_tasks, a.capacity,
      coalesce(p.balance, 0) - sum(i."maxBudget") over (partition by i."ownerId" order by i.ord) as left_after,
      count(*) over (partition by i."agentId" order by i.ord) as nth_of_agent
    from item i
    left join lateral (
      select balance from ledger_accounts where holder = i."ownerId" and kind = 'pool_available'
    ) p on true
    left join lateral (
      select x.status, s.open_tasks, agent_capacity(s.trust_tier) as capacity
      from agents x, agent_stats s where x.id = i."agentId" and s.agent_id = x.id
    ) a on true
  ), ranked as materialized (
    -- What was left when the first item did not fit: that item's left_after plus its own budget.
    select k.*, first_value(k.left_after + k."maxBudget") over (
      partition by k."ownerId", k.left_after < 0 order by k.ord) as left_at_first_miss,
      row_number() over (partition by k."ownerId", k.left_after < 0 order by k.ord) as nth_miss
    from known k
  ), decided as materialized (
    select r.*, case
      when r.agent_status is distinct from 'active' then 'agent_gone'
      when r.routed and r.open_tasks + r.nth_of_agent > r.capacity then 'agent_full'
      when r.left_after >= 0 then 'ok'
      when r.nth_miss = 1 or r."maxBudget" > r.left_at_first_miss then 'short'
      else 'again' end as outcome
    from ranked r
  ), good as materialized (
    select d.* from decided d where d.outcome = 'ok'
  ), stored as (
    insert into tasks (id, owner_id, submitter_agent_id, agent_id, task_type, max_budget, price, input,
      input_expires_at, status, correlation_id, deadline_ms, created_at, assigned_at, accept_by, due_at)
    select g.id, g."ownerId", g."submitterAgentId", g."agentId", g."taskType", g."maxBudget", g.price, g.input,
      g."inputExpiresAt", (case when g.routed then 'routing' else 'submitted' end)::task_status, g."correlationId",
      g."deadlineMs", g.at, g.at, g."acceptBy", g."acceptBy"
    from good g
  ), logged as (
    insert into events (id, type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select uuid_at(g.at), e.type, e.district, g.at, g.id, g."agentId", g."ownerId", g."correlationId", e.data
    from good g cross join lateral (values
      (1, 'task.submitted', 'tasks', json_build_object('taskType', g."taskType", 'maxBudget', g."maxBudget")),
      (2, 'credits.held', 'vault', json_build_object('amount', g."maxBudget")),
      (3, 'task.assigned', 'tasks', json_build_object(
        'status', case when g.routed then 'routing' else 'submitted' end, 'price', g.price))
    ) as e(nth, type, district, data)
    order by g.ord, e.nth
  ), held as materialized (
    select vault_hold(array_agg(g.id order by g.ord), array_agg(g."ownerId" order by g.ord),
      array_agg(g."maxBudget" order by g.ord), array_agg(g.at order by g.ord)) from good g having count(*) > 0
  ), counted as materialized (
    select agents_record(array_agg(g."agentId" order by g.ord), array_agg('assigned'::text),
      array_agg(0), array_agg(0::bigint), array_agg(g.at order by g.ord)) from good g having count(*) > 0
  )
  select d.ord::int, d.outcome, d.balance from decided d
  cross join (select count(*) from held) h cross join (select count(*) from counted) c;
end $$`,
});
