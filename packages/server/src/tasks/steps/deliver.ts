import { defineStep } from '../../platform/index.ts';
import { isHostAlive, missingWork } from '../workspace/sql.ts';
import { type MissingWork, sqlFrom, sqlTo } from './states.ts';

export interface DeliverItem {
  taskId: string;
  agentId: string;
  output: unknown;
  declaredScore: number | null;
  executionTimeMs: number | null;
  at: string;
  /** When the gate is run again should it not have answered by then; at once where this server does not judge. */
  gateDueAt: string;
  /** The process that took the delivery, and runs the gate if it judges. */
  host: string;
  /** The data directory that has the delivered workspace; null where it is an object. */
  store: string | null;
  objectId: string | null;
  sha256: string | null;
  /** Bytes of the delivered workspace; where there is none, none must be missing. */
  workspaceBytes: number | null;
}

export interface DeliverOutcome {
  outcome: 'ok' | 'not_party' | 'wrong_state' | MissingWork;
  status: string;
}

/** The agent delivers; the task waits for the gate. */
export const deliverStep = defineStep<DeliverItem, DeliverOutcome>({
  name: 'tasks_deliver',
  key: (item) => item.taskId,
  locks: ({ taskId }) => ({ tasks: [taskId] }),
  topics: (item, { outcome }) => (outcome === 'ok' ? [`task:${item.taskId}`] : []),
  sql: `create or replace function tasks_deliver(p_items json)
returns table (ord int, outcome text, status text) language plpgsql as $$
begin
  return query
  with item as materialized (
    select i.*, row_number() over () as ord from json_to_recordset(p_items) as i(
      "taskId" uuid, "agentId" uuid, output json, "declaredScore" int, "executionTimeMs" int, at timestamptz,
      "gateDueAt" timestamptz, host uuid, store uuid, "objectId" uuid, sha256 text, "workspaceBytes" bigint)
  ), found as materialized (
    select i.*, t.status, t.agent_id, t.owner_id, t.correlation_id
    from item i cross join lateral (select x.* from tasks x where x.id = i."taskId" limit 1) t
  ), decided as materialized (
    select f.*, case
      when f.agent_id <> f."agentId" then 'not_party'
      when f.status not in ${sqlFrom('complete')} then 'wrong_state'
      -- Others have found this process dead, and what it has is not the task's any more.
      when f."workspaceBytes" is not null then case when ${isHostAlive('f.host')} then 'ok' else 'work_lost' end
      else coalesce(${missingWork('f."taskId"', 'f."agentId"', 'f.host')}, 'ok') end as outcome
    from found f
  ), changed as (
    update tasks t set status = ${sqlTo('complete')}, output = d.output, declared_score = d."declaredScore",
      execution_time_ms = d."executionTimeMs", due_at = d."gateDueAt", attempts = 1, gate_host = d.host
    from decided d where t.id = d."taskId" and d.outcome = 'ok'
  ), kept as (
    insert into deliveries (task_id, store, object_id, sha256, size_bytes)
    select d."taskId", d.store, d."objectId", d.sha256, d."workspaceBytes" from decided d
    where d.outcome = 'ok' and d."workspaceBytes" is not null
    on conflict (task_id) do update set store = excluded.store, object_id = excluded.object_id,
      sha256 = excluded.sha256, size_bytes = excluded.size_bytes, archived = false
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select 'task.delivered', 'tasks', d.at, d."taskId", d.agent_id, d.owner_id, d.correlation_id,
      json_build_object('status', ${sqlTo('complete')})
    from decided d where d.outcome = 'ok' order by d.ord
  )
  select d.ord::int, d.outcome, d.status::text from decided d;
end $$`,
});
