import { uncountedStatuses, waitingStatuses, workingStatuses } from '@agora/contract';
import { defineStep, sqlList } from '../../platform/index.ts';
import { missingWork } from '../workspace/sql.ts';
import { type MissingWork, sqlFrom, sqlTo } from './states.ts';

/**
 * How a task ends: the gate passes or rejects it, the agent reports failure or declines it, the submitter cancels it, its
 * time runs out, or no gate can run.
 */
export type FinishVerb = 'pass' | 'reject' | 'fail' | 'expire' | 'decline' | 'cancel' | 'abandon';

export interface FinishItem {
  taskId: string;
  verb: FinishVerb;
  /** Set where the caller must be the assigned agent. */
  agentId: string | null;
  at: string;
  /** Cents of the price; needed for `pass`. */
  fee: number;
  payout: number;
  /** When the earnings are released; for `pass`. */
  releaseAt: string | null;
  errorMessage: string | null;
  /** For `pass` and `reject`. `criteria` and `judge` as the contract's assessment has them. */
  assessment: { id: string; score: number; criteria: unknown; judge: unknown } | null;
  /** A delivery without a workspace, judged before it was stored: the task goes from executing to its end in this step. */
  delivery?: Delivery;
}

export interface Delivery {
  /** The process that took it. */
  host: string;
  output: unknown;
  declaredScore: number | null;
  executionTimeMs: number | null;
}

export interface FinishOutcome {
  outcome: 'ok' | 'not_party' | 'wrong_state' | MissingWork;
  status: string;
}

/** Ends tasks: settles or releases the hold, stores the assessment, counts the outcome for the agent. */
export const finishStep = defineStep<FinishItem, FinishOutcome>({
  name: 'tasks_finish',
  key: (item) => item.taskId,
  topics: (item, { outcome }) => (outcome === 'ok' ? [`task:${item.taskId}`] : []),
  sql: `create or replace function tasks_finish(p_items json)
returns table (ord int, outcome text, status text) language plpgsql as $$
begin
  return query
  with item as (
    select i.*, i.ordinality as ord from rows from (json_to_recordset(p_items) as (
      "taskId" uuid, verb text, "agentId" uuid, at timestamptz, fee bigint, payout bigint, "releaseAt" timestamptz,
      "errorMessage" text, assessment json, delivery json)) with ordinality i
  ), found as (
    select i.*, t.status, t.agent_id, t.owner_id, t.correlation_id, t.price, t.max_budget,
      case when t.status in ${sqlList(workingStatuses)} then t.deadline else t.due_at end as ends_at
    from item i cross join lateral (
      select x.* from tasks x where x.id = i."taskId" for update
    ) t
  ), decided as materialized (
    select f.*, case
      when f."agentId" is not null and f.agent_id <> f."agentId" then 'not_party'
      when f.delivery is not null and f.status not in ${sqlFrom('complete')} then 'wrong_state'
      when f.delivery is null and f.verb = 'pass' and f.status not in ${sqlFrom('pass')} then 'wrong_state'
      when f.delivery is null and f.verb = 'reject' and f.status not in ${sqlFrom('reject')} then 'wrong_state'
      when f.verb = 'abandon' and f.status not in ${sqlFrom('abandon')} then 'wrong_state'
      when f.verb = 'fail' and f.status not in ${sqlFrom('fail')} then 'wrong_state'
      when f.verb = 'decline' and f.status not in ${sqlFrom('decline')} then 'wrong_state'
      when f.verb = 'cancel' and f.status not in ${sqlFrom('cancel')} then 'wrong_state'
      when f.verb = 'expire' and (f.status not in ${sqlFrom('expire')} or f.ends_at > f.at) then 'wrong_state'
      when f.delivery is not null then coalesce(${missingWork('f."taskId"', 'f."agentId"', "(f.delivery ->> 'host')::uuid")}, 'ok')
      else 'ok' end as outcome
    from found f
  ), good as materialized (
    select d.*, d.verb = 'pass' as passed, (d.assessment ->> 'id')::uuid as assessment_id,
      (d.assessment ->> 'score')::int as score,
      case when d.delivery is not null then ${sqlTo('complete')} end as delivered,
      -- What ends before it was started is nobody's failure, nor is a gate that cannot run.
      case when d.verb = 'pass' then 'passed' when d.verb = 'decline' then 'declined'
        when d.verb = 'abandon' or d.status in ${sqlList(waitingStatuses)} then 'released' else 'failed' end as what
    from decided d where d.outcome = 'ok'
  ), assessed as (
    insert into assessments (id, task_id, score, passed, criteria, judge, created_at)
    select g.assessment_id, g."taskId", g.score, g.passed, g.assessment -> 'criteria', g.assessment -> 'judge', g.at
    from good g where g.assessment is not null
  ), changed as (
    update tasks t set status = (case when g.passed then 'completed' else 'failed' end)::task_status,
      quality_score = g.score, assessment_id = g.assessment_id, error_message = g."errorMessage",
      credits_charged = case when g.passed then g.price else 0 end, finished_at = g.at, due_at = null,
      output = coalesce(g.delivery -> 'output', t.output),
      declared_score = coalesce((g.delivery ->> 'declaredScore')::int, t.declared_score),
      execution_time_ms = coalesce((g.delivery ->> 'executionTimeMs')::int, t.execution_time_ms)
    from good g where t.id = g."taskId"
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select case when g.passed then 'task.completed' else 'task.failed' end, 'tasks', g.at, g."taskId", g.agent_id,
      g.owner_id, g.correlation_id, case when g.passed
        then json_build_object('status', 'completed', 'verb', g.verb, 'qualityScore', g.score,
          'price', g.price, 'fee', g.fee, 'payout', g.payout, 'delivered', g.delivered)
        else json_build_object('status', 'failed', 'verb', g.verb, 'qualityScore', g.score,
          'errorMessage', g."errorMessage", 'amount', g.max_budget, 'delivered', g.delivered) end
    from good g order by g.ord
  ), resolved as materialized (
    select vault_resolve_hold(array_agg(g."taskId" order by g.ord), array_agg(g.agent_id order by g.ord),
      array_agg(case when g.passed then g.payout else 0 end order by g.ord),
      array_agg(case when g.passed then g.fee else 0 end order by g.ord), array_agg(g.at order by g.ord),
      array_agg(case when g.passed then g."releaseAt" end order by g.ord))
    from good g having count(*) > 0
  ), counted as materialized (
    select agents_record(array_agg(g.agent_id order by g.ord), array_agg(g.what order by g.ord),
      array_agg(case when g.passed then g.score else 0 end order by g.ord),
      array_agg(case when g.passed then g.payout else 0 end order by g.ord), array_agg(g.at order by g.ord),
      array_agg(g.correlation_id order by g.ord))
    -- A direct hire is not counted for its agent before it is started.
    from good g where g.status not in ${sqlList(uncountedStatuses)} having count(*) > 0
  )
  select d.ord::int, d.outcome, d.status::text from decided d
  cross join (select count(*) from resolved) r cross join (select count(*) from counted) c;
end $$`,
});
