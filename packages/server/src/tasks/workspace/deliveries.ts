import type { ArchivePlace, DeliveryPlace, Location, SharedPlace } from './archive-places.ts';
import { type ArchiveStore, beginning, pageRows } from './archive-store.ts';

/** Delivered workspaces between delivery and verdict. */
export interface Deliveries extends Pick<DeliveryPlace, 'size' | 'undo'> {
  /** Durable once it resolves. The delivery's step stores where it lies. */
  keep(taskId: string, archive: Buffer): Promise<Location>;
  /** Null if the agent delivered no workspace, or what it delivered is gone. */
  read: ArchivePlace['read'];
  /** It is not waited for any more: it goes to the archives. */
  drop(taskId: string): Promise<void>;
  /** Ids of all tasks of which this process knows one. */
  list(): string[];
  /** Some of all that servers share, the next ones at each call: of these it knows from then on those that were asked for. */
  learn(among: (taskIds: string[]) => Promise<string[]>): Promise<void>;
}

export async function createDeliveries(
  place: DeliveryPlace & Partial<Pick<SharedPlace, 'page'>>,
  archives: Pick<ArchiveStore, 'note'>,
): Promise<Deliveries> {
  const known = new Set(place.page ? [] : (await place.list()).map(([taskId]) => taskId));
  let after = beginning;
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
    list: () => [...known],
    async learn(among) {
      const page = (await place.page?.(after, pageRows)) ?? [];
      after = page.length === pageRows ? (page.at(-1)?.[0] ?? beginning) : beginning;
      for (const taskId of await among(page.map(([taskId]) => taskId))) known.add(taskId);
    },
  };
}
