create or replace function tasks_submit(p_items json) returns table (ord int, outcome text) language plpgsql as $$
begin
  return query
  with item as materialized (
    -- With what the batch holds of the owner and of the hiring agent, and gives to the agent.
    select i.*, i.ordinality as ord, sum(i."maxBudget") over (partition by i."ownerId") as held,
      count(i.queue) over (partition by i."ownerId") as queued,
      count(*) filter (where i.routed) over (partition by i."agentId") as opened,
      sum(i."maxBudget") over (partition by i."submitterAgentId") as spent,
      max(i.at) over (partition by i."submitterAgentId") as spent_at,
      row_number() over (partition by i."submitterAgentId" order by i.ordinality) as nth_spent
    from rows from (json_to_recordset(p_items) as (
      id uuid, "ownerId" uuid, "submitterAgentId" uuid, "agentId" uuid, queue text, routed boolean, routing jsonb, "taskType" text,
      "maxBudget" bigint, price bigint, "feeBps" int, "baseRate" bigint, input json, "inputExpiresAt" timestamptz,
      "dueAt" timestamptz, "deadlineMs" bigint, "correlationId" text, at timestamptz, "groupTasks" uuid[],
      "approvalId" uuid, "offerId" uuid, decision json, "mostQueued" int)) with ordinality i
  ), queues as materialized (
    select o.id, queued_tasks(o.id) as tasks from (select distinct i."ownerId" as id from item i where i.queue is not null) o
  ), overspent as materialized (
    select i."submitterAgentId" as agent from item i
    where i."submitterAgentId" is not null and i.nth_spent = 1 and exists (
      select from vault_agent_spending(array[i."submitterAgentId"], array[i.spent_at]) s where s.spent + i.spent > s."limit")
  ), fresh as materialized (
    select i.* from item i {{joinStillFree}}
    where i.held <= (select a.balance - a.owed from ledger_accounts a where a.holder = i."ownerId" and a.kind = 'pool_available' limit 1)
      and (i."agentId" is null or f.is_free)
      and (i.queue is null or i.queued + (select q.tasks from queues q where q.id = i."ownerId") <= i."mostQueued")
      and (i."submitterAgentId" is null or not exists (select from overspent o where o.agent = i."submitterAgentId"))
  ), deciding as materialized (
    -- Of several attempts the first.
    select distinct on (d.id) i.*, d.id as decides from fresh i cross join lateral (select coalesce(i."approvalId", i."offerId") as id) d
    where d.id is not null order by d.id, i.ord
  ), decided as materialized (
    select approvals_approve(array_agg(i.decides), array_agg(i.id), array_agg(i.decision), array_agg(i.at)) as id
    from deciding i where i."approvalId" is not null having count(*) > 0
    union all
    select offers_accept(array_agg(i.decides), array_agg(i.id), array_agg(i.decision), array_agg(i.at))
    from deciding i where i."approvalId" is null having count(*) > 0
  ), good as materialized (
    select i.* from fresh i
    where coalesce(i."approvalId", i."offerId") is null
      or exists (select from decided d where d.id = coalesce(i."approvalId", i."offerId"))
  ), stored as (
    insert into tasks (id, owner_id, submitter_agent_id, agent_id, task_type, max_budget, price, fee_bps,
      input, input_expires_at, routing, status, correlation_id, deadline_ms, created_at, assigned_at, accept_by, due_at, queue, turn,
      group_tasks)
    select g.id, g."ownerId", g."submitterAgentId", g."agentId", g."taskType", g."maxBudget", g.price, g."feeBps", g.input,
      g."inputExpiresAt", g.routing, (case when g.routed then 'routing' else 'submitted' end)::task_status, g."correlationId",
      g."deadlineMs", g.at, case when g.queue is null then g.at end, case when g.queue is null then g."dueAt" end, g."dueAt",
      g.queue, case when g.queue is not null then nextval('task_turns') end, g."groupTasks"
    from good g
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select 'task.submitted', 'tasks', g.at, g.id, g."agentId", g."ownerId", g."correlationId",
      case when g.queue is null then json_build_object('taskType', g."taskType", 'maxBudget', g."maxBudget",
        'price', g.price, 'status', case when g.routed then 'routing' else 'submitted' end)
      else json_build_object('taskType', g."taskType", 'maxBudget', g."maxBudget", 'status', 'submitted',
        'until', g."dueAt") end
    from good g order by g.ord
  ), held as materialized (
    select vault_hold(array_agg(g.id order by g.ord), array_agg(g."ownerId" order by g.ord),
      array_agg(g."maxBudget" order by g.ord), array_agg(g.at order by g.ord)) from good g having count(*) > 0
  ), counted as materialized (
    select agents_assign(array_agg(g."agentId")) from good g where g.routed having count(*) > 0
  )
  select i.ord::int, case when exists (select from good g where g.ord = i.ord) then 'ok' else '{{stale}}' end from item i
  cross join (select count(*) from held) h cross join (select count(*) from counted) c;
end $$
