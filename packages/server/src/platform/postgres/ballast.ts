import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statfsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A file that reserves disk space for PostgreSQL. Without room for its log PostgreSQL ends and cannot start again. Once
 * the ballast is removed it can, and money operations continue.
 */

const MIB = 1024 ** 2;
/** Two segments of the write-ahead log. */
const ballastMebibytes = 32;
/** Written only if it takes at most a fourth of the free space. */
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
