import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDiskFull } from '../files/disk.ts';
import { type Account, type PostgresLog, postgresAccount } from './account.ts';
import { dropBallast, hasNoRoom, layBallast } from './ballast.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { type Cluster, isRunning, openCluster } from './cluster.ts';
import { tryConnect, urlOf } from './connect.ts';
import { holdLifeline, isPostgresOn, launch, lifelineIsWatched, logTail, readPidFile } from './lifeline.ts';
import { serverArguments } from './settings.ts';
import { watchRecovery } from './stalled-recovery.ts';

export interface EmbeddedPostgresOptions {
  /** Directory of the database; made when missing. */
  dataDir: string;
  /** The `bin` directory of another PostgreSQL; the npm binaries when absent. */
  binDir?: string;
  log: PostgresLog;
  /** False for throw-away test databases: no fsync. */
  durable?: boolean;
  maxConnections?: number;
  /** Called when initdb or PostgreSQL runs in a process of its own, so that this thread has nothing to do for a while. */
  onProcess?: () => void;
  /** Called when PostgreSQL ended by itself and could not be started again. */
  onLost?: (error: Error) => void;
}

export interface EmbeddedPostgres {
  /** A URL for `pg`; it stays the same when PostgreSQL has to be started again. */
  url: string;
  /** True if another process had started it: it then lives until the last of its users ends. */
  adopted: boolean;
  /** Lets go of PostgreSQL. Resolves when it has shut down, or at once when other processes still use it. */
  stop(): Promise<void>;
}

/** A hold on a running PostgreSQL. */
interface Session {
  adopted: boolean;
  /** Resolves once PostgreSQL has ended; for an adopted one it is noticed within a second. */
  ended: Promise<void>;
  release(): void;
}

interface Context {
  cluster: Cluster;
  binaries: Binaries;
  account: Account;
  settings: string[];
  url: string;
  log: PostgresLog;
  onProcess?: () => void;
}

// Redoing 1 GB of WAL after a kill takes seconds; on a slow disk a minute.
const READY_TIMEOUT_MS = 300_000;
const TAKEOVER_TIMEOUT_MS = 60_000;
const SHUTDOWN_TIMEOUT_MS = 60_000;
const RESTART_ATTEMPTS = 5;
const BALLAST_EVERY_MS = 2_000;

/** Starts PostgreSQL on a data directory, or joins one that already runs there. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log, onProcess } = options;
  const durable = options.durable ?? true;
  const account = postgresAccount();
  const binaries = findBinaries({ account, dataDir: options.dataDir, binDir: options.binDir, log });
  const cluster = await openCluster({ dataDir: options.dataDir, account, binaries, durable, log, onProcess });
  const settings = serverArguments({ durable, maxConnections: options.maxConnections ?? 120 });
  const context: Context = { cluster, binaries, account, settings, url: urlOf(cluster), log, onProcess };

  const endWatch = watchRecovery(cluster, log);
  let session = await acquireWithBallast(context).catch((error) => {
    endWatch();
    throw error;
  });
  const keepBallast = durable ? setInterval(() => void layBallast(cluster.root), BALLAST_EVERY_MS).unref() : undefined;
  let stopping: Promise<void> | undefined;
  const keepUp = async () => {
    for (;;) {
      await session.ended;
      if (stopping) return;
      session.release();
      log.error('PostgreSQL ended unexpectedly; starting it again');
      const again = await acquireAgain(context, () => stopping !== undefined);
      if (!again) return;
      session = again;
      if (stopping) session.release();
      await sleep(200);
    }
  };
  keepUp().catch((error: Error) => {
    log.error(`PostgreSQL is lost: ${error.message}`);
    options.onLost?.(error);
  });
  const stop = () => {
    clearInterval(keepBallast);
    endWatch();
    stopping ??= letGo(context, session);
    return stopping;
  };
  return { url: context.url, adopted: session.adopted, stop };
}

function letGo(context: Context, session: Session): Promise<void> {
  session.release();
  return awaitShutdown(context, session);
}

/**
 * Joins a running PostgreSQL or launches one. No lock of our own is needed: PostgreSQL's postmaster.pid lets only
 * one of two launches live, and the loser comes round again and joins the winner.
 */
async function acquire(context: Context): Promise<Session> {
  const start = performance.now();
  for (;;) {
    const deadline = performance.now() + READY_TIMEOUT_MS;
    const session = (await adopt(context, deadline)) ?? (await launchOnce(context, deadline));
    if (session) return session;
    if (performance.now() - start > TAKEOVER_TIMEOUT_MS)
      throw new Error(`PostgreSQL did not start. ${logTail(context.cluster)}`);
    await sleep(100);
  }
}

/** Where the disk is full, PostgreSQL gets the room of the ballast. */
async function acquireWithBallast(context: Context): Promise<Session> {
  const { root } = context.cluster;
  try {
    return await acquire(context);
  } catch (error) {
    const full = isDiskFull(error) || hasNoRoom(root);
    if (full && dropBallast(root)) return acquire(context);
    if (full && !isDiskFull(error)) throw new Error('No space left on device', { cause: error });
    throw error;
  }
}

/** Waits for space on a full disk without limit. Any other reason that keeps PostgreSQL from starting is an error. */
async function acquireAgain(context: Context, stopped: () => boolean): Promise<Session | undefined> {
  let waits = false;
  for (let failures = 0; !stopped(); ) {
    try {
      return await acquireWithBallast(context);
    } catch (error) {
      if (!isDiskFull(error)) failures += 1;
      else if (!waits) context.log.error('The disk is full. PostgreSQL starts again once there is room on it.');
      waits ||= isDiskFull(error);
      if (failures === RESTART_ATTEMPTS) throw error;
      await sleep(1000);
    }
  }
  return undefined;
}

async function adopt(context: Context, deadline: number): Promise<Session | undefined> {
  const lifeline = holdLifeline(context.cluster);
  if (lifeline === undefined) return undefined;
  const watched = () => lifelineIsWatched(lifeline);
  if ((await becomesReady(context, watched, deadline)) && (await staysUp(context, watched))) {
    const hold = holdOf(lifeline);
    const ended = new Promise<void>((done) => {
      const timer = setInterval(() => {
        if (!hold.released() && watched()) return;
        clearInterval(timer);
        done();
      }, 1000);
      timer.unref();
    });
    return { adopted: true, ended, release: hold.release };
  }
  fs.closeSync(lifeline);
  return undefined;
}

/** Closes a descriptor once only: its number may belong to another file soon after. */
function holdOf(lifeline: number): { release(): void; released(): boolean } {
  let released = false;
  const release = () => {
    if (!released) fs.closeSync(lifeline);
    released = true;
  };
  return { release, released: () => released };
}

/** The last holder may have let go in the moment we took hold; then a shutdown is already under way. */
async function staysUp(context: Context, watched: () => boolean): Promise<boolean> {
  await sleep(50);
  return watched() && readPidFile(context.cluster)?.stopping === false;
}

/** Resolves with nothing if another launch was faster. */
async function launchOnce(context: Context, deadline: number): Promise<Session | undefined> {
  const { cluster, log } = context;
  await clearTheWay(context);
  keepLogSmall(cluster.log);
  const logStart = fs.existsSync(cluster.log) ? fs.statSync(cluster.log).size : 0;
  const launched = await launch(cluster, context.binaries, context.account, context.settings);
  context.onProcess?.();
  const alive = () => !launched.hasEnded();
  if (await becomesReady(context, alive, deadline)) {
    log.info(`PostgreSQL ${context.binaries.major} runs on ${cluster.data}`);
    return { adopted: false, ended: launched.ended, release: holdOf(launched.lifeline).release };
  }
  fs.closeSync(launched.lifeline);
  const said = fs.readFileSync(cluster.log).subarray(logStart).toString();
  // Backends of a killed postmaster need a moment to notice; another launch may hold the lock file.
  if (/lock file .* (already exists|is empty)|shared memory block .* is still in use/.test(said)) return undefined;
  throw new Error(`PostgreSQL did not start. ${logTail(cluster)}`);
}

/** Nobody watches the lifeline. Shuts down an earlier PostgreSQL if it still runs, and removes a stale pid file. */
async function clearTheWay(context: Context): Promise<void> {
  const { cluster, log } = context;
  const found = readPidFile(cluster);
  if (!found) return;
  if (!isPostgresOn(found.pid, found.data)) {
    // PostgreSQL sees through a stale file, unless that number now belongs to another process of its user, as
    // happens after a restart of a container: then it would refuse to start.
    const stillThere = readPidFile(cluster)?.pid === found.pid;
    if (isRunning(found.pid) && stillThere) fs.rmSync(join(cluster.data, 'postmaster.pid'), { force: true });
    return;
  }
  log.warn(`A PostgreSQL of an earlier run (pid ${found.pid}) is still there; waiting for it to shut down`);
  signal(found.pid, 'SIGINT');
  const deadline = performance.now() + SHUTDOWN_TIMEOUT_MS;
  while (isPostgresOn(found.pid, found.data)) {
    if (performance.now() > deadline) {
      throw new Error(`PostgreSQL of an earlier run (pid ${found.pid}) does not end. Stop it, then start again.`);
    }
    await sleep(20);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself.
  }
}

/** Connects until PostgreSQL answers ("not yet accepting connections" lasts 1–2 s after a hard kill). */
async function becomesReady(context: Context, alive: () => boolean, deadline: number): Promise<boolean> {
  let wait = 10;
  let nextReport = performance.now() + 5000;
  while (alive()) {
    const failure = await tryConnect(context.cluster);
    if (failure === undefined) return true;
    if (!/^(57P03|ECONNREFUSED|ENOENT|ECONNRESET|57P01|53300|EPIPE|closed)$/.test(failure.code)) throw failure.error;
    if (performance.now() > deadline) throw new Error(`PostgreSQL does not become ready. ${logTail(context.cluster)}`);
    if (performance.now() > nextReport) {
      context.log.info('PostgreSQL is still recovering');
      nextReport += 5000;
    }
    await sleep(wait);
    wait = Math.min(wait * 1.5, 200);
  }
  return false;
}

function keepLogSmall(path: string): void {
  if (fs.existsSync(path) && fs.statSync(path).size > 10_000_000) fs.renameSync(path, `${path}.old`);
}

/** After our end is closed: waits for the shutdown, unless other holders keep PostgreSQL alive. */
async function awaitShutdown(context: Context, session: Session): Promise<void> {
  const patience = performance.now() + (session.adopted ? 300 : 1000);
  const deadline = performance.now() + SHUTDOWN_TIMEOUT_MS;
  for (;;) {
    const found = readPidFile(context.cluster);
    if (!found) break;
    if (!found.stopping && performance.now() > patience) return;
    if (performance.now() > deadline) {
      context.log.warn(`PostgreSQL (pid ${found.pid}) is still shutting down`);
      return;
    }
    await sleep(10);
  }
  if (session.adopted) return;
  // The watcher alone does not keep Node running, and the caller waits for it here.
  const keepAlive = setInterval(() => {}, 1000);
  await session.ended;
  clearInterval(keepAlive);
}
