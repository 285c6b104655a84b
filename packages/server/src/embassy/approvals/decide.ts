import { type EventType, type Operations, type ReplyOf, toId, toUuid } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import {
  ApiError,
  type Call,
  defineFunction,
  ensure,
  type Pool,
  type Queryable,
  transaction,
  untilEmpty,
} from '../../platform/index.ts';
import { type ApprovalRow, type Decision, findApproval, lockExpired, storeDecision } from './sql.ts';
import { approvalView } from './view.ts';

/** Pending requests are approved with the tasks that they let in, by the step that stores these. Returns which still were. */
defineFunction(
  'approvals_approve',
  `create or replace function approvals_approve(p_id uuid[], p_task uuid[], p_data json[], p_at timestamptz[])
returns setof uuid language sql as $$
  with approved as (
    update approvals a set status = 'approved', task_id = i.task, decided_at = i.at, submission = null
    from unnest(p_id, p_task, p_at) as i(id, task, at) where a.id = i.id and a.status = 'pending'
    returning a.*
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select 'approval.approved', 'embassy', a.decided_at, a.task_id, a.agent_id, a.owner_id, a.correlation_id, i.data
    from approved a join unnest(p_id, p_data) as i(id, data) on i.id = a.id
  )
  select id from approved
$$`,
);

const eventOf: Record<Decision['status'], EventType> = {
  denied: 'approval.denied',
  expired: 'approval.expired',
};

/** Stores that a request is not approved, with the event; null where it was decided before. */
export async function decideApproval(tx: Queryable, id: string, decision: Decision): Promise<ApprovalRow | null> {
  const decided = await storeDecision(tx, id, decision);
  if (decided === null) return null;
  const { agentId, ownerId, correlationId } = decided;
  await appendEvent(tx, {
    type: eventOf[decision.status],
    district: 'embassy',
    at: decision.at,
    correlationId,
    agentId,
    ownerId,
    data: { approvalId: toId('approval', id) },
  });
  return decided;
}

/** An own request that can still be decided. */
export async function requirePending(db: Queryable, ownerId: string, approvalId: string, now: Date) {
  const id = toUuid('approval', approvalId);
  const found = id === null ? null : await findApproval(db, id);
  ensure(found, 'APPROVAL_NOT_FOUND');
  ensure(found.ownerId === ownerId, 'NOT_AGENT_OWNER', 'Only the owner of the agent decides on its requests.');
  if (found.status === 'expired') throw new ApiError('APPROVAL_EXPIRED');
  ensure(found.submission, 'ALREADY_DECIDED', `The request was ${found.status}.`, { status: found.status });
  ensure(now.toISOString() < found.expiresAt, 'APPROVAL_EXPIRED');
  return { ...found, submission: found.submission };
}

type Deny = Operations['embassy.deny'];

export async function denyApproval({ tx, caller, params, body, now }: Call<Deny>): Promise<ReplyOf<Deny>> {
  const { id } = await requirePending(tx, caller.ownerId, params.approvalId, now);
  const decided = await decideApproval(tx, id, { status: 'denied', note: body?.note, at: now });
  ensure(decided, 'ALREADY_DECIDED');
  return approvalView(decided);
}

/** Denies what nobody decided in time. */
export const expireApprovals = (pool: Pool, now: Date): Promise<void> =>
  untilEmpty(100, (limit) =>
    transaction(pool, 'write', async (tx) => {
      const due = await lockExpired(tx, now, limit);
      for (const { id } of due) await decideApproval(tx, id, { status: 'expired', at: now });
      return due.length;
    }),
  );
