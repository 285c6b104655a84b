import { existsSync } from 'node:fs';
import { access, constants, readFile, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Config, freeBytes } from '@agora-market/server/platform';
import { type Check, fail, ok, reasonOf, warn } from './finding.ts';
import type { Clocks } from './outside.ts';

/** As `engines` of the packages says. */
const leastNode = [22, 12] as const;

export const checkNode = (version = process.versions.node): Check => ({
  name: 'node',
  run() {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const isNew = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1]);
    return isNew
      ? ok(`${version} on ${process.platform} ${process.arch}`)
      : fail(`${version} is too old`, `Install Node ${leastNode.join('.')} or newer.`);
  },
});

const GIB = 1024 ** 3;
/** A database, some workspaces and a backup need this much soon. */
const littleBytes = 5 * GIB;

export const checkDataDir = ({ AGORA_DATA_DIR, STORAGE_FLOOR_BYTES }: Config): Check => ({
  name: 'data',
  async run() {
    const dataDir = resolve(AGORA_DATA_DIR);
    const place = nearestThere(dataDir);
    try {
      await access(place, constants.W_OK | constants.X_OK);
    } catch (error) {
      return fail(`${place} cannot be written: ${reasonOf(error)}`, 'Set AGORA_DATA_DIR to a directory of this user.');
    }
    const free = place === dataDir ? await freeBytes(dataDir) : await freeOn(place);
    const told = `${dataDir}${place === dataDir ? '' : ' will be made'}, ${(free / GIB).toFixed(1)} GiB free`;
    if (free < STORAGE_FLOOR_BYTES) {
      return fail(
        told,
        'Below STORAGE_FLOOR_BYTES new data is refused. Make room, or set AGORA_DATA_DIR to another disk.',
      );
    }
    return free < littleBytes ? warn(told, 'That is little for workspaces and backups. Make room.') : ok(told);
  },
});

function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path));
}

async function freeOn(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/** Each connection, stream and sandbox takes some of these. */
const leastFiles = 4096;
const leastProcesses = 1024;

export const checkLimits = (): Check => ({
  name: 'limits',
  async run() {
    const text = await readFile('/proc/self/limits', 'utf8').catch(() => '');
    const limitOf = (name: string) => {
      const soft = new RegExp(`^${name} +(\\S+)`, 'm').exec(text)?.[1];
      return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
    };
    if (text === '') return ok('are not told by this system');
    const [files, processes] = [limitOf('Max open files'), limitOf('Max processes')];
    const told = `${files} open files, ${processes} processes`.replaceAll('Infinity', 'any number of');
    if (files < leastFiles)
      return warn(told, `Raise the limit of open files to ${leastFiles}: \`ulimit -n ${leastFiles}\`.`);
    if (processes < leastProcesses) {
      return warn(told, `Raise the limit of processes to ${leastProcesses}: \`ulimit -u ${leastProcesses}\`.`);
    }
    return ok(told);
  },
});

/** Codes of a second factor count for 30 s, signatures of webhooks for 5 minutes. */
const warnAboveMs = 5_000;
const failAboveMs = 60_000;

export const checkClock = (clocks: Clocks): Check => ({
  name: 'clock',
  run() {
    if (clocks.length === 0) return ok(`${new Date().toISOString()}; there is nothing to compare it with`);
    const worst = clocks.reduce((most, each) => (Math.abs(each.aheadMs) > Math.abs(most.aheadMs) ? each : most));
    const seconds = (Math.abs(worst.aheadMs) / 1000).toFixed(1);
    const told = `${seconds} s ${worst.aheadMs < 0 ? 'ahead of' : 'behind'} ${worst.of}`;
    const cure = 'Have a time service (NTP) set the clock of this machine, and of the other.';
    if (Math.abs(worst.aheadMs) > failAboveMs) return fail(told, cure);
    return Math.abs(worst.aheadMs) > warnAboveMs ? warn(told, cure) : ok(told);
  },
});
