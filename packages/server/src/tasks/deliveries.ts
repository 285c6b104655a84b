import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../platform/index.ts';
import type { Shelf } from './shelf.ts';

/** Delivered workspaces, kept on disk between delivery and verdict. */
export interface Deliveries {
  keep(taskId: string, archive: Buffer): Promise<void>;
  /** Null where the agent delivered no workspace. */
  read(taskId: string): Promise<Buffer | null>;
  /** Its bytes, or null where there is none. */
  size(taskId: string): Promise<number | null>;
  /** It is not waited for any more; where there is a shelf it goes there. */
  drop(taskId: string): Promise<void>;
  /** Ids of all tasks that have one. */
  list(): Promise<string[]>;
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const isTaskId = (name: string) => new RegExp(`^${uuid}$`).test(name);
/** `<task>.<process>.<anything>`: being written, or left behind by a process that was killed while it wrote. */
const partialName = new RegExp(`^${uuid}\\.(\\d+)\\.`);

const oldestPartialMs = 600_000;

function nullWhereMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

export async function createDeliveries(dir: string, clock: Clock, shelf: Shelf | null = null): Promise<Deliveries> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const names = await readdir(dir);
  await removePartials(dir, names, clock.now().getTime());
  // Whatever else lies there, a `lost+found` say, is not ours, and its name is no id to ask the database for.
  const kept = new Set(names.filter(isTaskId));
  const pathOf = (taskId: string) => join(dir, taskId);
  return {
    async keep(taskId, archive) {
      const partial = `${pathOf(taskId)}.${process.pid}.${performance.now()}`;
      try {
        await writeFile(partial, archive, { flush: true, mode: 0o600 });
        await rename(partial, pathOf(taskId));
      } catch (error) {
        await rm(partial, { force: true }).catch(() => undefined);
        throw error;
      }
      kept.add(taskId);
      await flushDirectory(dir);
    },
    read: (taskId) => readFile(pathOf(taskId)).catch(nullWhereMissing),
    size: (taskId) => stat(pathOf(taskId)).then(({ size }) => size, nullWhereMissing),
    async drop(taskId) {
      // Most tasks never used a sandbox; for them this must not cost a system call.
      if (!kept.has(taskId)) return;
      if (shelf === null) await rm(pathOf(taskId), { force: true });
      else {
        await rename(pathOf(taskId), shelf.pathOf(taskId)).catch(nullWhereMissing);
        await shelf.note(taskId);
      }
      // Only now: what could not be removed is tried again by the sweep.
      kept.delete(taskId);
    },
    list: async () => [...kept],
  };
}

async function removePartials(dir: string, names: string[], nowMs: number): Promise<void> {
  for (const name of names) {
    const writer = partialName.exec(name)?.[1];
    if (writer === undefined) continue;
    const path = join(dir, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: nowMs }));
    // A process id is soon given out again, in a container even at once; an old one is nobody's whoever has it now.
    if (isAlive(Number(writer)) && nowMs - mtimeMs < oldestPartialMs) continue;
    await rm(path, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A renamed file is lost in a power cut until its directory is on disk too. */
async function flushDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
