import { ownedAtMost } from '@agora-market/contract';
import { defineStep } from '../../platform/index.ts';
import type { Submission } from './sql.ts';

export interface ApprovalItem {
  id: string;
  /** The id as events show it. */
  shownId: string;
  ownerId: string;
  agentId: string;
  submission: Submission;
  /** Beginning of the input's description. */
  description: string | null;
  /** The limit in cents that the submission exceeds. */
  threshold: number;
  correlationId: string;
  at: string;
  expiresAt: string;
}

/** `too_many`: so many of the owner's wait that it decides some first. */
interface ApprovalOutcome {
  outcome: 'ok' | 'too_many';
}

/**
 * Stores submissions that wait for their owner, unless too many of its do. A step, so that the Idempotency-Key is stored
 * with it.
 */
export const requestApprovalStep = defineStep<ApprovalItem, ApprovalOutcome>({
  name: 'embassy_request_approval',
  key: (item) => item.id,
  locks: ({ ownerId }) => ({ owners: [ownerId] }),
  topics: () => [],
  sql: `create or replace function embassy_request_approval(p_items json)
returns table (ord int, outcome text) language plpgsql as $$
begin
  return query
  with item as materialized (
    select i.*, i.ordinality as ord from rows from (json_to_recordset(p_items) as (
      id uuid, "shownId" text, "ownerId" uuid, "agentId" uuid, submission json, description text, threshold bigint,
      "correlationId" text, at timestamptz, "expiresAt" timestamptz)) with ordinality i
  ), decided as materialized (
    select i.*, case when row_number() over (partition by i."ownerId" order by i.ord) + (
      select count(*) from approvals a where a.owner_id = i."ownerId" and a.status = 'pending'
    ) <= ${ownedAtMost.pendingApprovals} then 'ok' else 'too_many' end as outcome
    from item i
  ), good as materialized (
    select d.* from decided d where d.outcome = 'ok'
  ), stored as (
    insert into approvals (id, owner_id, agent_id, task_type, max_budget, attempts, description, threshold, submission,
      correlation_id, created_at, expires_at)
    select i.id, i."ownerId", i."agentId", i.submission ->> 'taskType', (i.submission ->> 'maxBudget')::bigint,
      coalesce((i.submission ->> 'attempts')::int, 1),
      i.description, i.threshold, i.submission, i."correlationId", i.at, i."expiresAt"
    from good i
  ), logged as (
    insert into events (type, district, at, agent_id, owner_id, correlation_id, data)
    select 'approval.requested', 'embassy', i.at, i."agentId", i."ownerId", i."correlationId", json_build_object(
      'approvalId', i."shownId", 'taskType', i.submission ->> 'taskType', 'maxBudget', i.submission -> 'maxBudget', 'limit', i.threshold)
    from good i order by i.ord
  )
  select d.ord::int, d.outcome from decided d;
end $$`,
});
