import { defineStep } from '../../platform/index.ts';
import type { FinishItem } from './finish.ts';
import { sqlFrom } from './states.ts';

export interface ShortlistItem {
  taskId: string;
  assessment: NonNullable<FinishItem['assessment']>;
  at: string;
}

export interface ShortlistOutcome {
  outcome: 'ok' | 'wrong_state';
  status: string;
}

/**
 * A delivery that passed is one of several attempts: its verdict is stored, and nobody is paid until the others have
 * ended. It is due at once, for it may be the last. The agent is free for other work.
 */
export const shortlistStep = defineStep<ShortlistItem, ShortlistOutcome>({
  name: 'tasks_shortlist',
  key: (item) => item.taskId,
  locks: ({ taskId }) => ({ tasks: [taskId] }),
  topics: (item, { outcome }) => (outcome === 'ok' ? [`task:${item.taskId}`] : []),
  sql: `create or replace function tasks_shortlist(p_items json)
returns table (ord int, outcome text, status text) language plpgsql as $$
begin
  return query
  with found as materialized (
    select i.*, i.ordinality as ord, t.status, t.agent_id, t.owner_id, t.correlation_id, t.group_tasks, t.assessment_id
    from rows from (json_to_recordset(p_items) as ("taskId" uuid, assessment json, at timestamptz)) with ordinality i
    cross join lateral (select x.* from tasks x where x.id = i."taskId" limit 1) t
  ), decided as materialized (
    select f.*, case when f.status in ${sqlFrom('shortlist')} and f.group_tasks is not null and f.assessment_id is null
      then 'ok' else 'wrong_state' end as outcome
    from found f
  ), good as materialized (
    select d.*, (d.assessment ->> 'id')::uuid as verdict, (d.assessment ->> 'score')::int as score
    from decided d where d.outcome = 'ok'
  ), assessed as (
    insert into assessments (id, task_id, score, passed, is_measured, criteria, judge, created_at)
    select g.verdict, g."taskId", g.score, true, (g.assessment ->> 'isMeasured')::boolean, g.assessment -> 'criteria',
      g.assessment -> 'judge', g.at from good g
  ), changed as (
    update tasks t set quality_score = g.score, assessment_id = g.verdict, due_at = g.at, gate_host = null
    from good g where t.id = g."taskId"
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select 'task.shortlisted', 'tasks', g.at, g."taskId", g.agent_id, g.owner_id, g.correlation_id,
      json_build_object('qualityScore', g.score)
    from good g order by g.ord
  ), counted as materialized (
    select agents_release(array_agg(g.agent_id), array_agg(true)) from good g having count(*) > 0
  )
  select d.ord::int, d.outcome, d.status::text from decided d cross join (select count(*) from counted) c;
end $$`,
});
