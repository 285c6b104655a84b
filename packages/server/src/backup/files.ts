import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectKind } from '../objects/index.ts';
import { isAlive, isTaskId, nullWhereMissing } from '../platform/index.ts';

/** Files of the data directory that nothing else could make again, by task: workspaces on their way. */
export const fileKinds = ['deliveries', 'archives', 'workspaces', 'snapshots'] as const;
export const objectKinds: readonly ObjectKind[] = ['artifacts', 'repositories', 'changes', 'workspaces'];

const stagingName = /^backup-(\d+)-/;

/**
 * Keeps hold of files that servers remove while a backup runs. A link costs no room. Called before and after the
 * snapshot, `hold` gets those that were there at its moment; what came later does no harm.
 */
export async function holdFiles(dataDir: string) {
  await removeLeftovers(dataDir);
  const staging = join(dataDir, `backup-${process.pid}-${randomUUID()}`);
  const namesIn = async (dir: string) => ((await readdir(dir).catch(nullWhereMissing)) ?? []).filter(isTaskId).sort();
  return {
    async hold() {
      for (const kind of fileKinds) {
        for (const name of await namesIn(join(dataDir, kind))) {
          await mkdir(join(staging, kind), { recursive: true, mode: 0o700 });
          await link(join(dataDir, kind, name), join(staging, kind, name)).catch(nullWhereGoneOrHeld);
        }
      }
    },
    async *held() {
      for (const kind of fileKinds) {
        for (const name of await namesIn(join(staging, kind))) {
          const path = join(staging, kind, name);
          yield { name: `${kind}/${name}`, sizeBytes: (await stat(path)).size, content: createReadStream(path) };
        }
      }
    },
    release: () => rm(staging, { recursive: true, force: true }),
  };
}

function nullWhereGoneOrHeld(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'EEXIST') return null;
  throw error;
}

/** Of backups that were killed. */
async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of (await readdir(dataDir).catch(nullWhereMissing)) ?? []) {
    const pid = stagingName.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
