import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/index.ts';
import { isTaskId, nullWhereMissing, removePartialFiles, writeAtomically } from '../../platform/index.ts';
import type { ArchiveStore } from './archive-store.ts';

/** Delivered workspaces, kept on disk between delivery and verdict. */
export interface Deliveries {
  keep(taskId: string, archive: Buffer): Promise<void>;
  /** Null if the agent delivered no workspace. */
  read(taskId: string): Promise<Buffer | null>;
  /** Its bytes, or null if there is none. */
  size(taskId: string): Promise<number | null>;
  /** It is not waited for any more; where there is an archive store it goes there. */
  drop(taskId: string): Promise<void>;
  /** Ids of all tasks that have one. */
  list(): Promise<string[]>;
}

export async function createDeliveries(
  dir: string,
  clock: Clock,
  archives: ArchiveStore | null = null,
): Promise<Deliveries> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await removePartialFiles(dir, clock.now().getTime());
  const kept = new Set((await readdir(dir)).filter(isTaskId));
  const pathOf = (taskId: string) => join(dir, taskId);
  return {
    async keep(taskId, archive) {
      await writeAtomically(pathOf(taskId), archive);
      kept.add(taskId);
    },
    read: (taskId) => readFile(pathOf(taskId)).catch(nullWhereMissing),
    size: (taskId) => stat(pathOf(taskId)).then(({ size }) => size, nullWhereMissing),
    async drop(taskId) {
      // Most tasks never used a sandbox; for them this must not cost a system call.
      if (!kept.has(taskId)) return;
      if (archives === null) await rm(pathOf(taskId), { force: true });
      else {
        await rename(pathOf(taskId), archives.pathOf(taskId)).catch(nullWhereMissing);
        await archives.note(taskId);
      }
      // Only now; the sweep retries a removal that failed.
      kept.delete(taskId);
    },
    list: async () => [...kept],
  };
}
