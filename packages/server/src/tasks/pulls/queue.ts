import { pullRequestFailures } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { keyOf, readWhole } from '../../objects/index.ts';
import { transaction, untilEmpty } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import type { TaskRow } from '../sql.ts';
import { decodeChanges } from './changed-files.ts';
import type { Selected } from './select.ts';
import { type DuePull, deletePulls, endPull, lockPull, type PullEnd, uncountChanges, unpaidPulls } from './sql.ts';

type Deps = Pick<TaskDeps, 'pool' | 'clock' | 'config' | 'objects'>;

/** The changes of a pull request; null if they have been lost. */
export async function changesOf({ objects }: Deps, { objectId }: DuePull): Promise<Selected | null> {
  const stored = objectId === null ? null : await readWhole(objects, keyOf('changes', objectId));
  return stored && decodeChanges(stored);
}

/** Stores the end of a pull request with its event, and erases its changes. Nothing happens if another try has begun. */
export async function settlePull(deps: Deps, due: DuePull, task: TaskRow, end: PullEnd): Promise<void> {
  const isOurs = await transaction(deps.pool, 'write', async (tx) => {
    if (!(await lockPull(tx, due))) return false;
    await uncountChanges(tx, [due.taskId]);
    await endPull(tx, due.taskId, end);
    await appendEvent(tx, {
      type: `pull_request.${end.status}`,
      district: 'github',
      at: deps.clock.now(),
      correlationId: task.correlationId,
      taskId: task.id,
      ownerId: task.ownerId,
      ...(task.agentId !== null && { agentId: task.agentId }),
      // Both parties read it, and the repository is the buyer's own matter.
      data: {
        taskType: task.taskType,
        ...(end.status === 'failed' && { reason: end.reason, because: pullRequestFailures[end.reason] }),
      },
    });
    return true;
  });
  if (isOurs && due.objectId !== null) await deps.objects.delete(keyOf('changes', due.objectId));
}

/** Forgets what was prepared for tasks that were not paid in the end. */
export const forgetUnpaidPulls = (deps: Deps): Promise<void> =>
  untilEmpty(100, async (limit) => {
    const unpaid = await transaction(deps.pool, 'write', async (tx) => {
      const failedBefore = new Date(deps.clock.now().getTime() - deps.config.ACCEPT_WINDOW_MS);
      const found = await unpaidPulls(tx, failedBefore, limit);
      const ids = found.map(({ taskId }) => taskId);
      await uncountChanges(tx, ids);
      await deletePulls(tx, ids);
      return found;
    });
    for (const { objectId } of unpaid) if (objectId !== null) await deps.objects.delete(keyOf('changes', objectId));
    return unpaid.length;
  });
