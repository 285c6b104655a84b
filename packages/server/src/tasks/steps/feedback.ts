import { defineStep } from '../../platform/index.ts';
import { sqlFrom, sqlTo } from './states.ts';

export interface FeedbackItem {
  taskId: string;
  direction: 'up' | 'down';
  comment: string | null;
  refundWindowMs: number;
  at: string;
}

export interface FeedbackOutcome {
  /** `duplicate`: feedback was given and the window in which it may be replaced has passed. */
  outcome: 'ok' | 'wrong_state' | 'duplicate';
  status: string;
  refunded: boolean;
}

/** Thumbs up or down by the submitter. Down refunds up to and including the last millisecond of the window. */
export const feedbackStep = defineStep<FeedbackItem, FeedbackOutcome>({
  name: 'tasks_feedback',
  key: (item) => item.taskId,
  locks: ({ taskId }) => ({ tasks: [taskId], isPaid: true }),
  topics: (item, { outcome }) => (outcome === 'ok' ? [`task:${item.taskId}`] : []),
  sql: `create or replace function tasks_feedback(p_items json)
returns table (ord int, outcome text, status text, refunded boolean) language plpgsql as $$
begin
  return query
  with item as materialized (
    select i.*, row_number() over () as ord from json_to_recordset(p_items) as i(
      "taskId" uuid, direction text, comment text, "refundWindowMs" bigint, at timestamptz)
  ), found as materialized (
    select i.*, t.status, t.agent_id, t.owner_id, t.correlation_id, t.price, t.feedback_direction,
      i.at <= t.finished_at + i."refundWindowMs" * interval '1 ms' as in_window,
      (select e.amount from earnings e where e.task_id = t.id and e.status = 'pending') as escrowed
    from item i cross join lateral (select x.* from tasks x where x.id = i."taskId" limit 1) t
  ), decided as materialized (
    select f.*, case
      when f.status not in ${sqlFrom('feedback')} then 'wrong_state'
      when f.feedback_direction is not null and not f.in_window then 'duplicate'
      else 'ok' end as outcome,
      f.status in ${sqlFrom('refund')} and f.direction = 'down' and f.in_window and f.escrowed is not null as refund
    from found f
  ), good as materialized (
    select d.* from decided d where d.outcome = 'ok'
  ), changed as (
    update tasks t set feedback_direction = g.direction, feedback_comment = g.comment, feedback_at = g.at,
      status = (case when g.refund then ${sqlTo('refund')} else ${sqlTo('feedback')} end)::task_status,
      credits_charged = case when g.refund then 0 else t.credits_charged end
    from good g where t.id = g."taskId"
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select e.type, e.district, g.at, g."taskId", g.agent_id, g.owner_id, g.correlation_id, e.data
    from good g cross join lateral (values
      (1, 'feedback.received', 'tasks', json_build_object('direction', g.direction,
        'replaced', g.feedback_direction, 'isWritten', g.comment is not null), true),
      (2, 'task.refunded', 'tasks', json_build_object('status', 'refunded', 'amount', g.price,
        'payout', g.escrowed), g.refund)
    ) as e(nth, type, district, data, applies)
    where e.applies order by g.ord, e.nth
  ), refunds as materialized (
    select vault_refund(array_agg(g."taskId" order by g.ord), array_agg(g.owner_id order by g.ord),
      array_agg(g.price order by g.ord), array_agg(g.at order by g.ord))
    from good g where g.refund having count(*) > 0
  )
  select d.ord::int, d.outcome, d.status::text, coalesce(d.refund and d.outcome = 'ok', false) from decided d
  cross join (select count(*) from refunds) r;
end $$`,
});
