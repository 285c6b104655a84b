import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Pool, rows } from '../platform/index.ts';

/** Delivered workspaces of tasks that were judged, kept for appeals and disputes as long as their inputs are. */
export interface Shelf {
  /** Where the workspace of a task has its place. */
  pathOf(taskId: string): string;
  /** Takes over a file that has been put there. Where all together are too large, the largest go, of equals the oldest. */
  note(taskId: string): Promise<void>;
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

/**
 * The largest go first, for else a few huge deliveries would push out what everybody else may still need: to lose one of
 * ordinary size takes as many of that size as have room.
 */
export async function createShelf(dir: string, limits: { keepMs: number; maxBytes: number }): Promise<Shelf> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  /** Bytes of each, oldest first. */
  const kept = new Map<string, number>();
  let total = 0;
  const pathOf = (taskId: string) => join(dir, taskId);
  const size = (taskId: string) => stat(pathOf(taskId)).then((found) => found.size, nullWhereMissing);
  let clearedMs = Number.NEGATIVE_INFINITY;

  function forget(taskId: string) {
    total -= kept.get(taskId) ?? 0;
    kept.delete(taskId);
  }

  async function remove(taskId: string) {
    await rm(pathOf(taskId), { force: true });
    forget(taskId);
  }

  async function count(taskId: string) {
    const bytes = await size(taskId);
    if (bytes === null) return;
    forget(taskId);
    kept.set(taskId, bytes);
    total += bytes;
  }

  async function makeRoom() {
    while (total > limits.maxBytes) {
      const [largest] = [...kept].reduce((most, each) => (each[1] > most[1] ? each : most));
      await remove(largest);
    }
  }

  // Their names begin with the time at which they were made.
  for (const taskId of (await readdir(dir)).filter(isTaskId).sort()) await count(taskId);
  await makeRoom();
  return {
    pathOf,
    async note(taskId) {
      await count(taskId);
      await makeRoom();
    },
    read: (taskId) => readFile(pathOf(taskId)).catch(nullWhereMissing),
    size,
    async clear(pool, now) {
      if (kept.size === 0 || now.getTime() - clearedMs < everyMs) return;
      clearedMs = now.getTime();
      const ids = [...kept.keys()];
      const wanted = new Set(await wantedAmong(pool, ids, now, new Date(now.getTime() - limits.keepMs)));
      for (const taskId of ids) if (!wanted.has(taskId)) await remove(taskId);
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
