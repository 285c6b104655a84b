import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { type Cluster, isRunning } from './cluster.ts';
import { SERVER_ENVIRONMENT } from './settings.ts';

/**
 * PostgreSQL runs as long as a named pipe, the lifeline, has a writer. Every Agora process that uses the database holds
 * it open for writing. A watcher reads it: a shell of under 1 MB that a kill of the server does not reach. However a
 * process dies, even by kill -9, the kernel closes its end. After the last end is closed, the watcher reads the end of
 * file and shuts PostgreSQL down cleanly. Because the pipe has a name, a second process can join (`agora verify-ledger`
 * beside a server), also across containers, where pids are of no use.
 */
const WATCHER = `
fifo=$1; shift
[ -p "$fifo" ] || mkfifo -m 600 "$fifo" 2>/dev/null || [ -p "$fifo" ] || exit 70
# Opened for writing as well, so that opening does not wait and nothing ends before the parent holds its end.
exec 3<>"$fifo" 4<"$fifo"
echo armed
# The parent may have died meanwhile; then nothing is started.
read -r go || exit 0
exec 3>&-
"$@" >&2 </dev/null 4<&- &
postgres=$!
echo "$postgres"
( while read -r _ <&4; do :; done; kill -INT "$postgres" 2>/dev/null ) &
reader=$!
exec 4<&- 1>&-
wait "$postgres"; code=$?
kill "$reader" 2>/dev/null
exit "$code"
`;

function lifelinePath(cluster: Cluster): string {
  return join(cluster.run, 'lifeline');
}

/** Takes hold of the lifeline; undefined if no watcher is at its other end. */
export function holdLifeline(cluster: Cluster): number | undefined {
  try {
    return fs.openSync(lifelinePath(cluster), fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENXIO' || code === 'ENOENT') return undefined;
    throw error;
  }
}

export function lifelineIsWatched(lifeline: number): boolean {
  try {
    fs.writeSync(lifeline, '\n');
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN';
  }
}

export interface Launch {
  /** Our end of the lifeline. */
  lifeline: number;
  /** Resolves once PostgreSQL has ended. */
  ended: Promise<void>;
  hasEnded(): boolean;
}

/** Starts a watcher and, under it, PostgreSQL. Resolves when PostgreSQL's process exists; it may still fail then. */
export async function launch(
  cluster: Cluster,
  binaries: Binaries,
  account: Account,
  settings: string[],
): Promise<Launch> {
  const log = fs.openSync(cluster.log, 'a', 0o600);
  const command = [binaries.postgres, '-D', cluster.data, '-k', cluster.run, ...settings];
  const watcher = spawn('/bin/sh', ['-c', WATCHER, 'agora-postgres', lifelinePath(cluster), ...command], {
    ...account,
    cwd: cluster.root,
    env: SERVER_ENVIRONMENT,
    // A session of its own: Ctrl-C in a terminal must reach the server first, which still needs its database.
    detached: true,
    stdio: ['pipe', 'pipe', log],
  });
  fs.closeSync(log);
  let over = false;
  const ended = new Promise<void>((done) => {
    const finish = () => {
      over = true;
      done();
    };
    watcher.once('exit', finish);
    watcher.once('error', finish);
  });
  watcher.stdin?.on('error', () => {});
  watcher.unref();
  const lines = lineReader(watcher);
  if ((await lines()) !== 'armed') throw new Error(`The watcher of PostgreSQL did not start. ${logTail(cluster)}`);
  const lifeline = holdLifeline(cluster);
  if (lifeline === undefined) throw new Error(`The lifeline ${lifelinePath(cluster)} was removed during the start.`);
  watcher.stdin?.end('go\n');
  await lines();
  watcher.stdout?.destroy();
  return { lifeline, ended, hasEnded: () => over };
}

/** Hands out the watcher's lines one by one, and undefined once it has no more to say. */
function lineReader(watcher: ChildProcess): () => Promise<string | undefined> {
  if (!watcher.stdout) throw new Error('the watcher has no output');
  const iterator = createInterface({ input: watcher.stdout })[Symbol.asyncIterator]();
  return async () => {
    const next = await iterator.next();
    return next.done ? undefined : next.value;
  };
}

/** The last lines PostgreSQL wrote: the reason when it does not start. */
export function logTail(cluster: Cluster): string {
  if (!fs.existsSync(cluster.log)) return '';
  const lines = fs.readFileSync(cluster.log, 'utf8').trimEnd().split('\n').slice(-6);
  return `The end of ${cluster.log}:\n${lines.join('\n')}`;
}

/**
 * What postmaster.pid says; undefined if there is none (PostgreSQL ended cleanly or never ran), or when it is
 * being written just now.
 */
export function readPidFile(cluster: Cluster): { pid: number; stopping: boolean; data: string } | undefined {
  try {
    const lines = fs.readFileSync(join(cluster.data, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    return pid > 0 && lines[1] ? { pid, data: lines[1], stopping: lines[7]?.trim() === 'stopping' } : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether a pid is a PostgreSQL on that data directory, and not some process that got its number later. */
export function isPostgresOn(pid: number, data: string): boolean {
  if (!isRunning(pid)) return false;
  if (process.platform !== 'linux') return true;
  try {
    // A process that is over but not yet collected has an empty command line.
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data);
  } catch {
    return false;
  }
}
