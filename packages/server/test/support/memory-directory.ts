import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';
const enoughBytes = 1024 ** 3;

/**
 * Where throw-away databases lie: in memory where it has room, else with other temporary files. To clone a database is to
 * copy 800 small files, which took 20 ms of CPU time in memory and 400 on a disk.
 */
export function memoryDirectory(): string {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > enoughBytes ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}
