import { type Clock, follow, type Job, type Logger, type Pool, type Roots, withTimeout } from '../platform/index.ts';
import { type JobHandler, pauseAfter } from './job-kind.ts';
import { dueJobs, finish, type LeasedJob, lease, putOff } from './queue-sql.ts';

export interface QueueDeps {
  pool: Pool;
  clock: Clock;
  log: Logger;
  stopping: AbortSignal;
  tracing?: Roots | null;
  /** From 0 to 1, so that jobs that failed together are not retried together. */
  random?: () => number;
}

export interface Queue {
  /** One timed job per kind, which runs what is due. */
  jobs: Job[];
  /** Resolves when nothing runs, for an orderly stop. */
  idle(): Promise<void>;
}

/** A run that has not heeded its signal has this time to end before another server may take its job. */
const graceMs = 60_000;
/** How long a run waits for the jobs that it started, so that short ones are done when it ends. */
const patienceMs = 5_000;
/** A queue that is this far behind is reported in the log. */
const lateMs = 60_000;

/** Runs queued jobs, each kind by itself. Any number of servers may do so at once. */
export function createQueue(deps: QueueDeps, handlers: JobHandler[]): Queue {
  const queues = handlers.map((each) => queueOf(deps, each));
  return {
    jobs: queues.map(({ job }) => job),
    idle: async () => {
      await Promise.all(queues.map(({ idle }) => idle()));
    },
  };
}

/** Text as a column takes it, whatever the other side sent. */
const textOf = (error: unknown): string => String(error).slice(0, 1_000).replaceAll('\0', '').toWellFormed();

function queueOf(deps: QueueDeps, { kind, run }: JobHandler) {
  const { pool, clock, log, stopping, tracing, random = Math.random } = deps;
  const lanes = new Set<Promise<void>>();

  async function giveUp(job: LeasedJob, error: unknown): Promise<void> {
    log.error({ err: error, job: kind.name, key: job.key, runs: job.attempts }, 'a queued job was given up');
    await putOff(pool, job, null, textOf(error));
  }

  async function runOne(job: LeasedJob): Promise<void> {
    // Each run ended together with its server or the database.
    if (job.attempts > kind.attempts) return giveUp(job, new Error('no run of it came to an end'));
    const work = () => run(job.payload, AbortSignal.any([stopping, AbortSignal.timeout(kind.timeoutMs)]));
    try {
      await (tracing ? follow(tracing.root(`job ${kind.name}`, { 'agora.run': job.attempts }), work) : work());
    } catch (error) {
      if (job.attempts >= kind.attempts) return giveUp(job, error);
      const pauseMs = pauseAfter(kind, job.attempts, random());
      log.warn({ err: error, job: kind.name, key: job.key, run: job.attempts }, 'a queued job failed; tried again');
      await putOff(pool, job, new Date(clock.now().getTime() + pauseMs), textOf(error));
      return;
    }
    await finish(pool, job);
  }

  async function leaseNext(): Promise<LeasedJob | null> {
    const now = clock.now();
    return lease(pool, kind.name, now, new Date(now.getTime() + kind.timeoutMs + graceMs));
  }

  /** One job after the other until none is due. As long as there are some, there are more lanes. */
  async function work(): Promise<void> {
    for (let isFirst = true; !stopping.aborted; isFirst = false) {
      const job = await leaseNext();
      if (job === null) return;
      const behindMs = clock.now().getTime() - Date.parse(job.dueAt);
      if (isFirst && behindMs > lateMs) log.warn({ job: kind.name, behindMs }, 'queued jobs run late');
      open();
      await runOne(job);
    }
  }

  function open(): void {
    if (lanes.size >= kind.atOnce) return;
    const lane = work()
      .catch((error) => {
        // A stop closes the database; leased jobs come back when their lease ends.
        if (!stopping.aborted) log.error({ err: error, job: kind.name }, 'a queue could not be read; tried again');
      })
      .finally(() => lanes.delete(lane));
    lanes.add(lane);
  }

  const idle = async () => {
    while (lanes.size > 0) await Promise.all(lanes);
  };
  return {
    idle,
    job: {
      name: kind.name,
      role: kind.role ?? 'jobs',
      due: dueJobs(kind.name),
      run: async () => {
        open();
        // A long job continues in the background.
        await withTimeout(clock, patienceMs, idle());
      },
    },
  };
}
