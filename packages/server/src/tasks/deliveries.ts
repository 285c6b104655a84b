import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Delivered workspaces, kept on disk between delivery and verdict. */
export interface Deliveries {
  keep(taskId: string, archive: Buffer): Promise<void>;
  /** Null where the agent delivered no workspace. */
  read(taskId: string): Promise<Buffer | null>;
  drop(taskId: string): Promise<void>;
  /** Ids of all tasks that have one. */
  list(): Promise<string[]>;
}

export async function createDeliveries(dir: string): Promise<Deliveries> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const kept = new Set(await readdir(dir));
  const pathOf = (taskId: string) => join(dir, taskId);
  return {
    async keep(taskId, archive) {
      const partial = `${pathOf(taskId)}.${process.pid}.${performance.now()}`;
      await writeFile(partial, archive, { flush: true, mode: 0o600 });
      await rename(partial, pathOf(taskId));
      kept.add(taskId);
    },
    async read(taskId) {
      return readFile(pathOf(taskId)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
    },
    async drop(taskId) {
      // Most tasks never used a sandbox; for them this must not cost a system call.
      if (!kept.delete(taskId)) return;
      await rm(pathOf(taskId), { force: true });
    },
    list: async () => [...kept],
  };
}
