create or replace function tasks_start(p_items json)
returns table (ord int, outcome text, status text, deadline timestamptz) language plpgsql as $$
begin
  return query
  with item as (
    select i.*, i.ordinality as ord from rows from (json_to_recordset(p_items) as (
      "taskId" uuid, "agentId" uuid, "sandboxId" text, at timestamptz)) with ordinality i
  ), found as (
    select i.*, t.status, t.agent_id, t.owner_id, t.correlation_id, t.input_expires_at, t.sandbox_id,
      least(i.at + t.deadline_ms * interval '1 ms', t.input_expires_at) as deadline, t.due_at
    from item i cross join lateral (select x.* from tasks x where x.id = i."taskId" limit 1) t
  ), decided as materialized (
    select f.*, case
      when f.agent_id is distinct from f."agentId" then 'not_party'
      when f.status not in {{from}} then 'wrong_state'
      when f.input_expires_at is null or f.input_expires_at <= f.at then 'input_expired'
      when f.sandbox_id is not null and f.sandbox_id <> f."sandboxId" then 'sandbox_mismatch'
      else 'ok' end as outcome
    from found f
  ), changed as (
    update tasks t set status = {{to}}, sandbox_id = d."sandboxId", started_at = d.at,
      deadline = d.deadline,
      -- Where it does not have to move, no index does: the sweep moves it to the deadline when it comes to look.
      due_at = least(d.due_at, d.deadline)
    from decided d where t.id = d."taskId" and d.outcome = 'ok'
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select 'task.started', 'tasks', d.at, d."taskId", d.agent_id, d.owner_id, d.correlation_id,
      json_build_object('status', {{to}}, 'sandboxId', d."sandboxId")
    from decided d where d.outcome = 'ok' order by d.ord
  ), counted as materialized (
    -- A routed task has been counted since it was routed.
    select agents_assign(array_agg(d.agent_id)) from decided d
    where d.outcome = 'ok' and d.status = 'submitted' having count(*) > 0
  )
  select d.ord::int, d.outcome, d.status::text, d.deadline from decided d
  cross join (select count(*) from counted) c;
end $$
