import type { Clock } from './clock.ts';
import type { Logger } from './log.ts';
import { type Queryable, rows } from './postgres/db.ts';
import type { Role } from './roles.ts';
import { type Roots, timedRun } from './tracing/tracing.ts';

/**
 * Work that is done because time has passed. It is safe to run at any moment, and in several processes at once. Servers share
 * it: each of N runs a job N times as rarely, so that however many they are, the database is asked as often.
 */
export interface Job {
  /** `<district>.<what>`, as the log has it. */
  name: string;
  run(): Promise<unknown>;
  /** Milliseconds between the end of a run and the next, of all servers together; a second unless given. */
  everyMs?: number;
  /**
   * In place of `everyMs`: an SQL condition on the time `$1` that holds whenever there is work. One statement asks all of
   * them (`lookEveryMs`), and the job runs if its own holds.
   */
  due?: string;
  /** True for work on what this process has: no other can do it. */
  isOwn?: boolean;
  /** Servers with this role do it: those with `jobs` unless given, and each its own. */
  role?: Role;
  /** Jobs that run before each run of this one, because they may still need what it removes. */
  after?: readonly string[];
  /** Is given a function that runs the job without waiting for its time, for what should not take a second. */
  wokenBy?(wake: () => void): void;
}

/** How a job keeps its schedule, in milliseconds. */
export interface JobState {
  name: string;
  everyMs: number;
  /** How long the present run has taken; null while none runs. */
  runningMs: number | null;
  /** Duration of the last finished run; null before the first. */
  lastMs: number | null;
  /** How long the job has been due without a run. If it is not due: how late its last run began. */
  lagMs: number;
}

export interface Jobs {
  /** From now on each job runs repeatedly by itself, so that a slow one delays no other. */
  start(): void;
  /** Runs each job of this process once, in the order of the catalogue and regardless of its schedule, but none that is not due. */
  runAll(): Promise<void>;
  /** Runs one now, whatever its schedule and this process's roles. */
  run(name: string): Promise<void>;
  /** Starts no new run; resolves when the running ones have ended. */
  stop(): Promise<void>;
  states(): JobState[];
}

const defaultEveryMs = 1_000;
/** Often enough that a reputation is there within a second, and seldom enough that a busy server reads many events at once. */
const lookEveryMs = 700;
/** A run that takes longer than this, or begins so much later than it should, is logged. */
const longMs = 60_000;
/** Longest run of `untilEmpty`; a longer one would delay a stop. */
const purgeMs = 5_000;

/** For `due`: the first of these times, or `afterMs` later, has come. With an index on the column it is read from its end. */
export const hasCome = (column: string, from: string, afterMs = 0): string =>
  `(select min(${column}) from ${from}) <= $1 - interval '${afterMs} ms'`;

/** Asks which of the conditions hold now. `name` is that of the prepared statement. */
export type AskDue = (name: string, conditions: readonly string[]) => Promise<boolean[]>;

export const askDue =
  ({ pool, clock }: { pool: Queryable; clock: Clock }): AskDue =>
  async (name, conditions) => {
    const asked = conditions.map((each) => `coalesce(${each}, false)`).join(', ');
    const [found] = await rows<{ due: boolean[] }>(
      pool,
      name,
      `select array[${asked}] as due from (select $1::timestamptz) now`,
      [clock.now().toISOString()],
    );
    return found?.due ?? [];
  };

/**
 * Repeats work on this many rows until it finds fewer. After five seconds it leaves the rest to the next run of the
 * job.
 */
export async function untilEmpty(batch: number, work: (batch: number) => Promise<number>): Promise<void> {
  const endMs = performance.now() + purgeMs;
  while ((await work(batch)) === batch && performance.now() < endMs);
}

/** A job of this process and how it fares. Times are those of `performance.now()`. */
interface Track {
  job: Job;
  /** A run was asked for that has not begun. */
  isWoken?: boolean;
  work?: Promise<void>;
  dueMs: number;
  startedMs: number;
  lastMs: number | null;
  lagMs: number;
}

export function createJobs(
  catalogue: Job[],
  log: Logger,
  {
    tracing = null,
    has = () => true,
    servers = () => 1,
    isOutdated = () => false,
    random = Math.random,
    ask = async (_, conditions) => conditions.map(() => true),
  }: {
    tracing?: Roots | null;
    /** Whether this process has a role, and how many processes there are, or have it. */
    has?: (role: Role) => boolean;
    servers?: (role?: Role) => number;
    /** Whether a process of a later release has it. */
    isOutdated?: (role: Role) => boolean;
    random?: () => number;
    ask?: AskDue;
  } = {},
): Jobs {
  const everyMs = ({ everyMs = defaultEveryMs, due, isOwn = false, role = 'jobs' }: Job) =>
    (due === undefined ? everyMs : lookEveryMs) * (isOwn ? 1 : servers(role));
  /** All of them, and those that this process does by itself. */
  const tracks = new Map<string, Track>();
  const ours = () =>
    [...tracks.values()].filter(({ job: { role, isOwn = false } }) =>
      role === undefined ? isOwn || has('jobs') : has(role),
    );
  for (const job of catalogue) {
    if (job.due !== undefined && job.everyMs !== undefined) throw new Error(`${job.name} has both due and everyMs.`);
    const others = catalogue.filter(({ name, role }) => job.after?.includes(name) && role !== job.role);
    if (others.length > 0) throw new Error(`${job.name} comes after ${others[0]?.name}, which has another role.`);
    tracks.set(job.name, { job, dueMs: Number.POSITIVE_INFINITY, startedMs: 0, lastMs: null, lagMs: 0 });
  }
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;

  async function attempt(track: Track): Promise<void> {
    const job = track.job.name;
    track.isWoken = false;
    track.startedMs = performance.now();
    track.lagMs = Math.max(0, track.startedMs - track.dueMs);
    if (track.lagMs > longMs) log.warn({ job, lagMs: Math.round(track.lagMs) }, 'a job begins late');
    const takenMs = () => Math.round(performance.now() - track.startedMs);
    const watch = setTimeout(() => log.warn({ job, ms: takenMs() }, 'a job takes long; the others go on'), longMs);
    try {
      await timedRun(tracing, job, () => track.job.run());
    } catch (error) {
      // A stop closes the database under a running job; the next start does the rest.
      if (stopped) log.debug({ err: error, job }, 'the stop cut a job short');
      else log.error({ err: error, job }, 'a job failed and will be tried again');
    } finally {
      clearTimeout(watch);
      track.lastMs = takenMs();
      if (track.lastMs > longMs) log.warn({ job, ms: track.lastMs }, 'a job that took long has ended');
    }
  }

  /** Never two at once: a caller during a run gets a new run after it. */
  async function runOnce(track: Track): Promise<void> {
    while (track.work) await track.work;
    // A server of a later release knows what it has made, and does what is shared.
    if (stopped || (!track.job.isOwn && isOutdated(track.job.role ?? 'jobs'))) {
      track.isWoken = false;
      return;
    }
    track.work = attempt(track).finally(() => {
      track.work = undefined;
    });
    await track.work;
  }

  async function runInOrder(track: Track): Promise<void> {
    for (const name of track.job.after ?? []) await runOnce(tracks.get(name) as Track);
    await runOnce(track);
  }

  function wake(track: Track): void {
    if (track.isWoken || stopped) return;
    track.isWoken = true;
    void runOnce(track);
  }

  /** Those that have work; all of them where that cannot be asked. */
  async function dueOf(name: string, asked: Track[]): Promise<Track[]> {
    const conditions = asked.map(({ job }) => job.due as string);
    const due = await ask(name, conditions).catch((error) => {
      if (!stopped) log.error({ err: error }, 'which timed jobs are due could not be asked; all of them run');
      // What hinders one condition, as a lock on its table, must not stop the jobs of the others.
      return conditions.map(() => true);
    });
    return asked.filter((_, nth) => due[nth]);
  }

  /** Starts those of the jobs that are due, and waits for none. One that still runs is asked about again. */
  async function look(name: string, asked: Track[]): Promise<void> {
    for (const track of await dueOf(name, asked)) if (!track.work && !stopped) void runInOrder(track);
  }

  /** Runs the work of these tracks again and again, so long after its end. */
  function repeat(work: () => Promise<void>, of: Track[], afterMs: number): void {
    if (stopped) return;
    for (const track of of) track.dueMs = performance.now() + afterMs;
    // As often as the one of them needs it that fewest servers do.
    const nextMs = () => Math.min(...of.map(({ job }) => everyMs(job)));
    // Servers that start together do not stay in step.
    const spread = () => (servers() === 1 ? 1 : 0.5 + random());
    const timer = setTimeout(() => {
      timers.delete(timer);
      void work().then(() => repeat(work, of, nextMs() * spread()));
    }, afterMs);
    timers.add(timer);
  }

  return {
    start() {
      const all = ours();
      const looks = [true, false].map((isOwn) =>
        all.filter(({ job }) => job.due !== undefined && (job.isOwn ?? false) === isOwn),
      );
      const begun = [
        ...looks
          .filter(({ length }) => length > 0)
          .map((asked, nth) => ({ work: () => look(`due_${nth}`, asked), of: asked })),
        ...all
          .filter(({ job }) => job.due === undefined)
          .map((track) => ({ work: () => runInOrder(track), of: [track] })),
      ];
      // Spread over a second, so that they do not all ask the database at once.
      for (const [nth, { work, of }] of begun.entries()) repeat(work, of, defaultEveryMs * (1 + nth / begun.length));
      for (const track of all) track.job.wokenBy?.(() => wake(track));
    },
    async runAll() {
      for (const track of ours()) {
        const { name, due } = track.job;
        const isDue = due === undefined || (await dueOf(`due_${name}`, [track])).length > 0;
        if (isDue) await runOnce(track);
      }
    },
    run: (name) => runOnce(tracks.get(name) as Track),
    async stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all([...tracks.values()].map(({ work }) => work));
    },
    states() {
      const nowMs = performance.now();
      return ours().map(({ job, work, dueMs, startedMs, lastMs, lagMs }) => ({
        name: job.name,
        everyMs: everyMs(job),
        runningMs: work ? nowMs - startedMs : null,
        lastMs,
        lagMs: work || nowMs < dueMs ? lagMs : nowMs - dueMs,
      }));
    },
  };
}
