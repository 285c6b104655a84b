import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Files that are there as a whole or not at all, named after their tasks, on disk before their writer goes on. */

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** `<task>.<process>.<anything>`: being written, or left behind by a process that was killed while it wrote. */
const partialName = new RegExp(`^${uuid}\\.(\\d+)\\.`);
const oldestPartialMs = 600_000;

/** Whatever else lies in the directory, a `lost+found` say, is not ours, and its name is no id to ask the database for. */
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

/** What predecessors left half written. */
export async function removePartialFiles(dir: string, nowMs: number): Promise<void> {
  for (const name of await readdir(dir)) {
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

/** A renamed file is lost in a power cut, and a removed one is back, until its directory is on disk too. */
export async function flushDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
