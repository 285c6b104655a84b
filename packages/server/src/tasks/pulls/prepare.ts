import type { PullRequestReason } from '@agora/contract';
import { keyOf, type ObjectStore } from '../../objects/index.ts';
import { ApiError, type Clock, type Config, newUuid } from '../../platform/index.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { TaskRow } from '../sql.ts';
import { compareDelivery } from './compare.ts';
import { type PullWish, pullWish } from './wish.ts';

/** What a delivery has for its pull request, before the task is completed. */
export interface PreparedPull {
  wanted: PullWish & { commit: string };
  /** The object with the changes; null where `reason` says why there is none. */
  objectId: string | null;
  sizeBytes: number;
  reason: PullRequestReason | null;
}

export type PullTask = Pick<TaskRow, 'id' | 'ownerId' | 'submitterAgentId' | 'input' | 'inputExpiresAt' | 'createdAt'>;

interface Deps {
  clock: Clock;
  config: Config;
  inputs: Pick<Inputs, 'originals' | 'base'>;
  objects: ObjectStore;
}

/**
 * Compares the delivered workspace (null: none was used) and stores its changes as an object. Null where no pull request
 * is wanted. Rejects if the store cannot be reached.
 */
export async function preparePull(deps: Deps, task: PullTask, workspace: Buffer | null): Promise<PreparedPull | null> {
  const wish = pullWish(task.input, deps.config);
  if (wish === null) return null;
  const none = (reason: PullRequestReason, commit = ''): PreparedPull => ({
    wanted: { ...wish, commit },
    objectId: null,
    sizeBytes: 0,
    reason,
  });
  if (workspace === null) return none('no_changes');
  // An empty archive stands for a workspace that its sandbox did not give out.
  if (workspace.length === 0) return none('not_compared');
  try {
    const base = await deps.inputs.base(task);
    if (base === null) return none('not_compared');
    const { archive: laid } = await deps.inputs.originals(task);
    const reply = await compareDelivery(task.ownerId, { laid, workspace, tree: base.archive });
    if ('reason' in reply) return none(reply.reason, base.commit);
    const objectId = newUuid(deps.clock);
    const changes = Buffer.from(reply.changes.buffer);
    await deps.objects.put(keyOf('changes', objectId), changes);
    return { wanted: { ...wish, commit: base.commit }, objectId, sizeBytes: changes.length, reason: null };
  } catch (error) {
    // The repository cannot be had again, or the input has been erased.
    if (error instanceof ApiError) return none('not_compared');
    throw error;
  }
}
