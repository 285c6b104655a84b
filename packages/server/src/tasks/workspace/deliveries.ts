import type { ArchivePlace, DeliveryPlace, Location } from './archive-places.ts';
import type { ArchiveStore } from './archive-store.ts';

/** Delivered workspaces between delivery and verdict. */
export interface Deliveries extends Pick<DeliveryPlace, 'size' | 'undo'> {
  /** Durable once it resolves. The delivery's step stores where it lies. */
  keep(taskId: string, archive: Buffer): Promise<Location>;
  /** Null if the agent delivered no workspace, or what it delivered is gone. */
  read: ArchivePlace['read'];
  /** It is not waited for any more: it goes to the archives. */
  drop(taskId: string): Promise<void>;
  /** Ids of all tasks that have one. */
  list(): Promise<string[]>;
}

export async function createDeliveries(
  place: DeliveryPlace,
  archives: Pick<ArchiveStore, 'note'>,
): Promise<Deliveries> {
  const known = new Set<string>();
  const look = async () => {
    for (const [taskId] of await place.list()) known.add(taskId);
  };
  await look();
  return {
    async keep(taskId, archive) {
      const location = await place.put({ taskId }, archive);
      known.add(taskId);
      return location;
    },
    undo: place.undo,
    async read(taskId) {
      const found = await place.read(taskId);
      // Another server may have taken it, and this one have the verdict.
      if (found !== null) known.add(taskId);
      return found;
    },
    size: place.size,
    async drop(taskId) {
      // Most tasks never used a sandbox; for them this must cost nothing.
      if (!known.has(taskId)) return;
      await place.archive(taskId);
      await archives.note(taskId);
      // Only now; the sweep tries again what failed.
      known.delete(taskId);
    },
    async list() {
      if (place.isShared) await look();
      return [...known];
    },
  };
}
