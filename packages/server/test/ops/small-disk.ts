import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  path: string;
  /** Writes until nothing more goes on it, but for so many bytes. */
  fill(leaveBytes?: number): void;
  /** Takes away what `fill` wrote. */
  free(): void;
  remove(): Promise<void>;
}

/** A disk of its own in memory. Mounting one takes root, which tests in a container have. */
export async function mountSmallDisk(mebibytes: number): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), 'agora-disk-'));
  const mounted = run('mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=711`, 'tmpfs', path);
  if (mounted !== '') throw new Error(`This test mounts a disk in memory, for which it must run as root: ${mounted}`);
  const filler = join(path, 'of-another-program');
  return {
    path,
    fill(leaveBytes = 0) {
      const chunk = Buffer.alloc(65_536);
      if (leaveBytes > 0) writeAll(`${filler}-room`, Buffer.alloc(leaveBytes), 1);
      writeAll(filler, chunk);
      rmSync(`${filler}-room`, { force: true });
    },
    free: () => rmSync(filler, { force: true }),
    async remove() {
      run('umount', '-l', path);
      await rm(path, { recursive: true, force: true });
    },
  };
}

function writeAll(path: string, chunk: Buffer, times = Number.POSITIVE_INFINITY): void {
  const file = openSync(path, 'a');
  try {
    for (let count = 0; count < times; count++) writeSync(file, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}

/** What a command complained of. */
function run(command: string, ...args: string[]): string {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? '' : (error?.message ?? stderr);
}
