import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Files that exist completely or not at all. They are named after their tasks and are on disk before their writer
 * continues.
 */

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** `<task>.<process>.<anything>`: being written, or left behind by a process that was killed while it wrote. */
const partialName = new RegExp(`^${uuid}\\.(\\d+)\\.`);
const oldestPartialMs = 600_000;

/** Other files in the directory, for example `lost+found`, are not ours, and their names are no ids to look up. */
export const isTaskId = (name: string) => new RegExp(`^${uuid}$`).test(name);

export function nullWhereMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

export async function writeAtomically(path: string, content: Buffer): Promise<void> {
  const partial = `${path}.${process.pid}.${performance.now()}`;
  try {
    await writeFile(partial, content, { flush: true, mode: 0o600 });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
  await flushDirectory(dirname(path));
}

/** Half-written files of earlier processes. */
export async function removePartialFiles(dir: string, nowMs: number): Promise<void> {
  for (const name of await readdir(dir)) {
    const writer = partialName.exec(name)?.[1];
    if (writer === undefined) continue;
    const path = join(dir, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: nowMs }));
    // A pid is soon reused, in a container even at once. An old file is abandoned even if its pid is in use.
    if (isAlive(Number(writer)) && nowMs - mtimeMs < oldestPartialMs) continue;
    await rm(path, { force: true });
  }
}

/** Whether a process of this machine has the pid. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A renamed file is lost in a power cut, and a removed one is back, until its directory is on disk too. */
export async function flushDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
