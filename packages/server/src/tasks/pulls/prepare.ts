import type { PullRequestReason } from '@agora-market/contract';
import { keyOf, type ObjectStore } from '../../objects/index.ts';
import { type Clock, newUuid } from '../../platform/index.ts';
import type { TaskRow } from '../sql.ts';
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

/** What a delivery has for a pull request; the commit that it began with is empty where that is not known. */
export type PullChanges = { commit: string } & ({ changes: Uint8Array<ArrayBuffer> } | { reason: PullRequestReason });

interface Deps {
  clock: Clock;
  objects: ObjectStore;
}

/** Stores changes as an object. Null where no pull request is wanted. Rejects if the store cannot be reached. */
export async function preparePull(deps: Deps, task: PullTask, found: PullChanges): Promise<PreparedPull | null> {
  const wish = pullWish(task.input);
  if (wish === null) return null;
  const wanted = { ...wish, commit: found.commit };
  if ('reason' in found) return { wanted, objectId: null, sizeBytes: 0, reason: found.reason };
  const objectId = newUuid(deps.clock);
  const changes = Buffer.from(found.changes.buffer);
  await deps.objects.put(keyOf('changes', objectId), changes);
  return { wanted, objectId, sizeBytes: changes.length, reason: null };
}
