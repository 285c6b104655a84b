import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statfsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A file that holds some of the disk free for PostgreSQL. Without room for its log PostgreSQL ends, and cannot even start
 * again. It can once the ballast has gone, and then money operations go on.
 */

const MIB = 1024 ** 2;
/** Two segments of the write-ahead log. */
const ballastMebibytes = 32;
/** It is laid only where it takes at most a fourth of what is left. */
const roomForIt = 4 * ballastMebibytes * MIB;
/** With less PostgreSQL is likely to have ended for want of it. */
const tooLittle = 32 * MIB;

const pathIn = (root: string) => join(root, 'ballast');

function free(root: string): number {
  const { bavail, bsize } = statfsSync(root);
  return bavail * bsize;
}

export const hasNoRoom = (root: string): boolean => free(root) < tooLittle;

/** Writes the ballast file if it is missing and there is space; a failure does not matter. */
export async function layBallast(root: string): Promise<void> {
  if (existsSync(pathIn(root)) || free(root) < roomForIt) return;
  const partial = `${pathIn(root)}.${process.pid}`;
  try {
    const file = await open(partial, 'w', 0o600);
    try {
      // Random, for a file system may keep zeros for nothing.
      const chunk = randomBytes(MIB);
      for (let written = 0; written < ballastMebibytes; written++) await file.write(chunk);
    } finally {
      await file.close();
    }
    await rename(partial, pathIn(root));
  } catch {
    await rm(partial, { force: true }).catch(() => undefined);
  }
}

/** Gives the ballast's space to PostgreSQL; false if the ballast is gone already. */
export function dropBallast(root: string): boolean {
  if (!existsSync(pathIn(root))) return false;
  rmSync(pathIn(root), { force: true });
  return true;
}
