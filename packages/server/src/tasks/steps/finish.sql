create or replace function tasks_finish(p_items json)
returns table (ord int, outcome text, status text) language plpgsql as $$ begin return query
  with item as (
    select i.*, i.ordinality as ord from rows from (json_to_recordset(p_items) as (
      "taskId" uuid, verb text, "agentId" uuid, at timestamptz, fee bigint, payout bigint, "releaseAt" timestamptz,
      "errorMessage" text, assessment json, delivery json)) with ordinality i
  ), found as (
    select i.*, t.status, t.agent_id, t.owner_id, t.correlation_id, t.price, t.max_budget, t.task_type,
      t.group_tasks, t.assessment_id as held, t.quality_score as held_score, {{waited}} as waited, case when t.status in {{working}} then t.deadline else t.due_at end as ends_at
    from item i cross join lateral (select x.* from tasks x where x.id = i."taskId" for update) t
  ), decided as materialized (
    select f.*, case
      when coalesce(f.agent_id <> f."agentId", f.agent_id is null and f."agentId" is not null) then 'not_party'
      -- A delivery that is judged at once passes two transitions here: it is completed, then passed or rejected.
      when (case when f.delivery is null then f.verb else 'complete' end, f.status::text) not in ({{transitions}})
        or f.verb = 'expire' and f.ends_at > f.at
        -- A shortlisted delivery has its verdict, and is left to the decision about its group; no other is.
        or (f.held is not null) <> (f.verb in ('pass', 'passOver') and f.assessment is null) then 'wrong_state'
      when f.delivery is not null then coalesce({{missingWork}}, 'ok')
      else 'ok' end as outcome
    from found f
  ), good as materialized (
    select d.*, coalesce((d.assessment ->> 'score')::int, d.held_score) as score, p.passed, p.passed::int * d.payout as paid,
      p.passed::int * d.fee as taken, case when p.passed then d."releaseAt" end as release_at
    from decided d cross join lateral (select d.verb = 'pass' as passed) p where d.outcome = 'ok'
  ), assessed as (
    insert into assessments (id, task_id, score, passed, criteria, judge, created_at)
    select (a ->> 'id')::uuid, g."taskId", g.score, g.passed, a -> 'criteria', a -> 'judge', g.at
    from good g cross join lateral (select g.assessment as a) x where a is not null
  ), changed as (
    update tasks t set status = (case when g.passed then 'completed' else 'failed' end)::task_status,
      quality_score = g.score, assessment_id = coalesce((g.assessment ->> 'id')::uuid, g.held), error_message = g."errorMessage",
      credits_charged = case when g.passed then g.price else 0 end, finished_at = g.at, due_at = null,
      output = coalesce(g.delivery -> 'output', t.output), declared_score = coalesce((g.delivery ->> 'declaredScore')::int,
        t.declared_score), execution_time_ms = coalesce((g.delivery ->> 'executionTimeMs')::int, t.execution_time_ms)
    from good g where t.id = g."taskId"
  ), waking as (
    -- The last attempt may have ended: the sweep looks at those that are shortlisted. They are no items of this step.
    update tasks t set due_at = g.at from good g
    where g.group_tasks is not null and g.held is null
      and t.id = any(g.group_tasks) and t.assessment_id is not null and t.due_at is not null
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select e.type, 'tasks', g.at, g."taskId", g.agent_id, g.owner_id, g.correlation_id, e.data
    from good g cross join lateral (values
      (1, 'task.delivered', json_build_object('status', {{delivered}}), g.delivery is not null),
      (2, 'task.completed', json_build_object('status', 'completed', 'verb', g.verb, 'qualityScore', g.score,
        'taskType', g.task_type, 'waited', g.waited, 'price', g.price, 'fee', g.fee, 'payout', g.payout), g.passed),
      (2, 'task.failed', json_build_object('status', 'failed', 'verb', g.verb, 'qualityScore', g.score,
        'errorMessage', g."errorMessage", 'taskType', g.task_type, 'waited', g.waited, 'price', g.price, 'from', g.status,
        'amount', g.max_budget), not g.passed)
    ) as e(nth, type, data, applies) where e.applies order by g.ord, e.nth
  ), settled as materialized (
    select vault_resolve_hold(array_agg(g."taskId" order by g.ord), array_agg(g.agent_id order by g.ord),
      array_agg(g.paid order by g.ord), array_agg(g.taken order by g.ord), array_agg(g.at order by g.ord),
      array_agg(g.release_at order by g.ord)) from good g having count(*) > 0
  ), counted as materialized (
    -- What ends before it was started is no answer of the agent, nor is a gate that cannot run.
    select agents_release(array_agg(g.agent_id), array_agg(
      g.verb = 'decline' or g.verb <> 'abandon' and g.status not in {{waiting}}))
    -- A direct hire is not counted for its agent before it is started, nor a delivery after it was shortlisted.
    from good g where g.status not in {{uncounted}} and g.held is null having count(*) > 0
  )
  select d.ord::int, d.outcome, d.status::text from decided d, (select count(*) from settled), (select count(*) from counted);
end $$
