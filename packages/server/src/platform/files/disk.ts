import { realpath, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../api-error.ts';
import { recent } from '../concurrency/index.ts';
import type { Logger } from '../log.ts';

/** The disks under the data directory, and whether there is room for more on them. */
export interface Disk {
  /** Refuses with STORAGE_FULL while there is less free space than the floor. Measures at most once a second. */
  requireRoom(): Promise<void>;
  /** The same as an error, or null. */
  shortage(): Promise<ApiError | null>;
  /** A write has just failed for lack of space; for a while that counts more than the measured space. */
  noteFull(): void;
}

/** Between two measurements; each takes some 30 µs. */
const measureEveryMs = 1_000;
/** A database elsewhere that is full, or a quota, shows in no measurement here. */
const fullForMs = 5_000;

const mebibytes = (bytes: number) => `${Math.floor(bytes / 1024 ** 2)} MiB`;

/** Free bytes that this user may write, on the fuller one of the disks under a data directory. */
export async function freeBytes(dataDir: string): Promise<number> {
  // Where root starts PostgreSQL in a closed directory, the database lies elsewhere, behind this link.
  const cluster = await realpath(join(dataDir, 'postgres', 'cluster')).catch(() => dataDir);
  const found = await Promise.all([dataDir, cluster].map((path) => statfs(path)));
  return Math.min(...found.map(({ bavail, bsize }) => bavail * bsize));
}

export function watchDisk(dataDir: string, floorBytes: number, log: Logger): Disk {
  let error: ApiError | null = null;
  let fullUntilMs = Number.NEGATIVE_INFINITY;

  const full = (message: string, details = {}) =>
    new ApiError('STORAGE_FULL', `${message} Reading and money operations still work. Try again later.`, details);

  const measured = recent<ApiError | null>(measureEveryMs, null, async () => {
    try {
      const free = await freeBytes(dataDir);
      const told = `The server's disk has ${mebibytes(free)} left. New data is accepted above ${mebibytes(floorBytes)}.`;
      const isShort = free < floorBytes;
      if (isShort && !error) log.error(`${told} New data is refused until space is free.`);
      if (!isShort && error) log.info('The disk has room again.');
      error = isShort ? full(told, { freeBytes: free, floorBytes }) : null;
    } catch {
      // If space cannot be measured, failed writes show it.
      error = null;
    }
    return error;
  });

  async function shortage(): Promise<ApiError | null> {
    if (performance.now() < fullUntilMs) return full('The disk of this server or of its database is full.');
    return measured.get();
  }

  return {
    shortage,
    async requireRoom() {
      const found = await shortage();
      if (found) throw found;
    },
    noteFull() {
      if (performance.now() >= fullUntilMs)
        log.error('A write failed, for the disk of this server or of its database is full.');
      fullUntilMs = performance.now() + fullForMs;
    },
  };
}

/** Whether something failed for lack of space: of a file system, a quota, or PostgreSQL's disk. */
export function isDiskFull(error: unknown): boolean {
  for (let at = error, depth = 0; at && depth < 5; at = (at as Error).cause, depth++) {
    const { code = '', message = '' } = at as { code?: string; message?: string };
    if (['ENOSPC', 'EDQUOT', '53100'].includes(code) || /No space left on device/i.test(message)) return true;
  }
  return false;
}
