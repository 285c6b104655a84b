import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Pool, rows } from '../platform/index.ts';

/** Delivered workspaces of tasks that were judged, kept for appeals and disputes as long as their inputs are. */
export interface Shelf {
  /** Where the workspace of a task has its place. */
  pathOf(taskId: string): string;
  /** Takes over a file that has been put there. */
  note(taskId: string): void;
  read(taskId: string): Promise<Buffer | null>;
  /** Its bytes, or null where there is none. */
  size(taskId: string): Promise<number | null>;
  /** Removes those whose time is over. */
  clear(pool: Pool, now: Date): Promise<void>;
}

const isTaskId = (name: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);

function nullWhereMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** Between two looks at what can go; what is kept a minute too long harms nobody. */
const everyMs = 60_000;

export async function createShelf(dir: string, keepMs: number): Promise<Shelf> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const kept = new Set((await readdir(dir)).filter(isTaskId));
  const pathOf = (taskId: string) => join(dir, taskId);
  let clearedMs = Number.NEGATIVE_INFINITY;
  return {
    pathOf,
    note: (taskId) => void kept.add(taskId),
    read: (taskId) => readFile(pathOf(taskId)).catch(nullWhereMissing),
    size: (taskId) => stat(pathOf(taskId)).then(({ size }) => size, nullWhereMissing),
    async clear(pool, now) {
      if (kept.size === 0 || now.getTime() - clearedMs < everyMs) return;
      clearedMs = now.getTime();
      const wanted = new Set(await wantedAmong(pool, [...kept], now, new Date(now.getTime() - keepMs)));
      for (const taskId of kept) {
        if (wanted.has(taskId)) continue;
        await rm(pathOf(taskId), { force: true });
        kept.delete(taskId);
      }
    },
  };
}

/** Of the given tasks those whose verdict can still be looked into. */
const wantedAmong = async (pool: Pool, ids: string[], now: Date, since: Date): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      pool,
      'tasks_wanted_among',
      `select id from tasks
       where id = any($1::uuid[]) and assessment_id is not null and input_expires_at > $2 and finished_at > $3`,
      [ids, now.toISOString(), since.toISOString()],
    )
  ).map(({ id }) => id);
