import { defineStep } from '../../platform/index.ts';

export interface SubmitItem {
  id: string;
  ownerId: string;
  submitterAgentId: string | null;
  agentId: string;
  /**
   * Routed by the platform, so that the agent's capacity counts; a direct hire may queue, and takes up none of the
   * capacity before it is started, or anybody could keep an agent from being routed to for a cent.
   */
  routed: boolean;
  taskType: string;
  maxBudget: number;
  price: number;
  /** List price that `price` was agreed on, in cents; null for none. Where the agent has changed it, so says the outcome. */
  baseRate: number | null;
  input: unknown;
  inputExpiresAt: string;
  acceptBy: string;
  deadlineMs: number;
  correlationId: string;
  at: string;
}

export interface SubmitOutcome {
  /** `again` is answered by the writer (see `Step`). */
  outcome:
    | 'ok'
    | 'again'
    | 'short'
    | 'agent_full'
    | 'agent_gone'
    | 'agent_changed'
    | 'over_transaction'
    | 'over_budget'
    | 'needs_approval';
  /** What the pool could spend when the item was refused, in cents; of one that was not, what it had before the batch. */
  available: number;
  /** The limit of the submitting agent that the item exceeds, in cents; null where it exceeds none. */
  limit: number | null;
  /** For `over_budget`: the window of that limit, and what was spent in it. */
  window: 'day' | 'week' | 'month' | null;
  spent: number | null;
}

/**
 * Stores tasks and holds their budgets; results equal those of one after the other. An item that fits even if all
 * before it in the batch are stored is stored. One that does not fit even if only those are is refused. What lies
 * between is left undecided for the next batch, and so are few: only where a pool, an agent or the budget of a
 * submitting agent is nearly used up.
 */
export const submitStep = defineStep<SubmitItem, SubmitOutcome>({
  name: 'tasks_submit',
  key: (item) => item.id,
  topics: (item, { outcome }) => (outcome === 'ok' ? [`agent:${item.agentId}`, `task:${item.id}`] : []),
  sql: `create or replace function tasks_submit(p_items json)
returns table (ord int, outcome text, available bigint, "window" text, "limit" bigint, spent bigint) language plpgsql as $$
begin
  return query
  with item as materialized (
    select i.*, i.ordinality as ord from rows from (json_to_recordset(p_items) as (
      id uuid, "ownerId" uuid, "submitterAgentId" uuid, "agentId" uuid, routed boolean, "taskType" text,
      "maxBudget" bigint, price bigint, "baseRate" bigint, input json, "inputExpiresAt" timestamptz, "acceptBy" timestamptz,
      "deadlineMs" bigint, "correlationId" text, at timestamptz)) with ordinality i
  ), budgeted as materialized (
    -- Of the items that agents submit, those whose agent has budget controls; for owners' items nothing is looked up.
    select r.* from (
      select array_agg(i.ord) as ords, array_agg(i."submitterAgentId") as agents, array_agg(i.at) as ats
      from item i where i."submitterAgentId" is not null having count(*) > 0
    ) x cross join lateral vault_budget_room(x.ords, x.agents, x.ats) r
  ), known as (
    select i.*, greatest(p.spendable, 0) as balance, coalesce(a.active, false) as active,
      a.base_rate is distinct from i."baseRate" as changed, a.open_tasks, a.capacity,
      b.transaction_max, b.approval_threshold, b."window", b."limit", b.room
    from item i
    left join budgeted b on b.ord = i.ord
    left join lateral (
      select balance - owed as spendable from ledger_accounts where holder = i."ownerId" and kind = 'pool_available'
    ) p on true
    left join lateral (
      select x.status = 'active' and o.status = 'active' as active, x.base_rate_cents as base_rate, s.open_tasks,
        agent_capacity(s.trust_tier) as capacity
      from agents x, agent_stats s, owners o where x.id = i."agentId" and s.agent_id = x.id and o.id = x.owner_id limit 1
    ) a on true
  ), hopeful as materialized (
    -- What does not fit even as the first takes nothing from those after it.
    select k.*, case when k.active and not k.changed and k."maxBudget" <= k.balance
        and not (k.routed and k.open_tasks >= k.capacity)
        and k."maxBudget" <= coalesce(least(k.transaction_max, k.approval_threshold, k.room), k."maxBudget")
      then 1 else 0 end as hope
    from known k
  ), spending as materialized (
    -- What an agent spends in this batch counts in all its windows, unless times in the batch lie a day apart.
    select h.ord, h.at - interval '24 hours' < min(h.at) over w as certain,
      sum(h.hope * h."maxBudget") over w <= min(h.room) over w as fits
    from hopeful h where h.room is not null window w as (partition by h."submitterAgentId" order by h.ord)
  ), bounded as materialized (
    select h.*, coalesce(s.certain, true) as certain, h.hope = 1
      and sum(h.hope * h."maxBudget") over (partition by h."ownerId" order by h.ord) <= h.balance
      and (not h.routed or h.open_tasks
        + sum(h.hope) filter (where h.routed) over (partition by h."agentId" order by h.ord) <= h.capacity)
      and coalesce(s.certain and s.fits, true)
      as fits
    from hopeful h left join spending s on s.ord = h.ord
  ), spent as materialized (
    select b.ord, coalesce(sum(b."maxBudget") filter (where b.fits) over (
      partition by b."submitterAgentId" order by b.ord rows between unbounded preceding and 1 preceding), 0) as by_then
    from bounded b where b.room is not null
  ), taken as materialized (
    -- What was left when it was an item's turn; of use only to those that do not fit, so without any it is not worked out.
    select b.ord,
      b.balance - coalesce(sum(b."maxBudget") filter (where b.fits) over (
        partition by b."ownerId" order by b.ord rows between unbounded preceding and 1 preceding), 0) as left_over,
      b.open_tasks + count(*) filter (where b.fits and b.routed) over (
        partition by b."agentId" order by b.ord rows between unbounded preceding and 1 preceding) as open_by_then,
      b.room - s.by_then as left_to_spend
    from bounded b left join spent s on s.ord = b.ord
    where exists (select from bounded x where not x.fits)
  ), decided as materialized (
    select b.*, t.left_over, t.left_to_spend, case
      when b.fits then 'ok'
      when not b.active then 'agent_gone'
      when b.changed then 'agent_changed'
      when not b.certain then 'again'
      when b."maxBudget" > b.transaction_max then 'over_transaction'
      when b."maxBudget" > t.left_to_spend then 'over_budget'
      when b."maxBudget" > b.approval_threshold then 'needs_approval'
      when b."maxBudget" > t.left_over then 'short'
      when b.routed and t.open_by_then >= b.capacity then 'agent_full'
      else 'again' end as outcome
    from bounded b left join lateral (select x.* from taken x where x.ord = b.ord and not b.fits limit 1) t on true
  ), good as not materialized (
    select d.* from decided d where d.outcome = 'ok'
  ), stored as (
    insert into tasks (id, owner_id, submitter_agent_id, agent_id, task_type, max_budget, price, input,
      input_expires_at, status, correlation_id, deadline_ms, created_at, assigned_at, accept_by, due_at)
    select g.id, g."ownerId", g."submitterAgentId", g."agentId", g."taskType", g."maxBudget", g.price, g.input,
      g."inputExpiresAt", (case when g.routed then 'routing' else 'submitted' end)::task_status, g."correlationId",
      g."deadlineMs", g.at, g.at, g."acceptBy", g."acceptBy"
    from good g
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select 'task.submitted', 'tasks', g.at, g.id, g."agentId", g."ownerId", g."correlationId", json_build_object(
      'taskType', g."taskType", 'maxBudget', g."maxBudget", 'price', g.price,
      'status', case when g.routed then 'routing' else 'submitted' end)
    from good g order by g.ord
  ), held as materialized (
    select vault_hold(array_agg(g.id order by g.ord), array_agg(g."ownerId" order by g.ord),
      array_agg(g."maxBudget" order by g.ord), array_agg(g.at order by g.ord)) from good g having count(*) > 0
  ), counted as materialized (
    select agents_assign(array_agg(g."agentId")) from good g where g.routed having count(*) > 0
  )
  select d.ord::int, d.outcome, coalesce(d.left_over, d.balance)::bigint, case d.outcome when 'over_budget' then d."window" end,
    case d.outcome when 'over_budget' then d."limit" when 'over_transaction' then d.transaction_max
      when 'needs_approval' then d.approval_threshold end,
    case d.outcome when 'over_budget' then (d."limit" - d.left_to_spend)::bigint end
  from decided d
  cross join (select count(*) from held) h cross join (select count(*) from counted) c;
end $$`,
});
