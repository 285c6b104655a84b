import type { BodyOf, Operations } from '@agora-market/contract';
import { type OwnerCaller, type Queryable, row, violates } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { submitTask } from './submit.ts';

/** Submissions for an owner that no request makes. Each has a key of its own, so that it is made once. */

/** The owner as a caller, if it may submit. */
export async function activeCaller(db: Queryable, ownerId: string, claimId: string): Promise<OwnerCaller | null> {
  const owner = await row<Pick<OwnerCaller, 'plan'>>(
    db,
    'tasks_active_owner',
    `select plan from owners where id = $1 and status = 'active'`,
    [ownerId],
  );
  return owner && { kind: 'owner', ownerId, plan: owner.plan, credential: { type: 'token', id: claimId } };
}

/** The task that was submitted under a claim. */
export const claimedTask = async (db: Queryable, claimId: string): Promise<string | null> =>
  (
    await row<{ subject: string | null }>(
      db,
      'tasks_claimed',
      `select subject from idempotency_keys where id = decode($1, 'hex')`,
      [claimId],
    )
  )?.subject ?? null;

interface Asked {
  caller: OwnerCaller;
  body: BodyOf<Operations['tasks.submit']>;
  correlationId: string;
  claimId: string;
}

/** Submits a task unless that was done under this claim before, and gives its UUID, of several attempts that of the first. */
export async function submitOnce(deps: TaskDeps, { caller, body, correlationId, claimId }: Asked): Promise<string> {
  const now = deps.clock.now();
  const claim = { id: claimId, requestHash: claimId, at: now.toISOString() };
  try {
    await submitTask(deps, { caller, body, now, correlationId, claim });
  } catch (error) {
    // Another run has made the change, which the claim then names.
    if (!violates(error, 'idempotency_keys_pkey')) throw error;
  }
  const taskId = await claimedTask(deps.pool, claimId);
  if (taskId === null) throw new Error('a submission has left no claim');
  return taskId;
}
