import { type EventType, type Operations, type ReplyOf, toId, toUuid } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import {
  ApiError,
  type Call,
  ensure,
  type Pool,
  type Queryable,
  transaction,
  untilEmpty,
} from '../../platform/index.ts';
import { type ApprovalRow, type Decision, findApproval, lockExpired, storeDecision } from './sql.ts';
import { approvalView } from './view.ts';

const eventOf: Record<Decision['status'], EventType> = {
  approved: 'approval.approved',
  denied: 'approval.denied',
  expired: 'approval.expired',
};

/** Stores a decision with its event; null where it was decided before. */
export async function decideApproval(tx: Queryable, id: string, decision: Decision): Promise<ApprovalRow | null> {
  const decided = await storeDecision(tx, id, decision);
  if (decided === null) return null;
  const { agentId, ownerId, correlationId, taskId } = decided;
  await appendEvent(tx, {
    type: eventOf[decision.status],
    district: 'embassy',
    at: decision.at,
    correlationId,
    agentId,
    ownerId,
    ...(taskId !== null && { taskId }),
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
