import type { Logger } from './log.ts';

/** Work that is done because time has passed. It is safe to run at any moment, and in several processes at once. */
export interface Job {
  /** `<district>.<what>`, as the log has it. */
  name: string;
  run(): Promise<unknown>;
  /** Jobs that run before each run of this one, because they may still need what it removes. */
  after?: readonly string[];
}

export interface Jobs {
  /** From now on each job runs repeatedly by itself, so that a slow one delays no other. */
  start(): void;
  /** Runs each once, one after the other in the order of the catalogue. */
  runAll(): Promise<void>;
  /** Starts no new run; resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** Between the end of a run and the next of the same job. */
const pauseMs = 1_000;
/** A run that takes longer than this is logged. */
const longMs = 60_000;

export function createJobs(catalogue: Job[], log: Logger): Jobs {
  const byName = new Map(catalogue.map((job) => [job.name, job]));
  const running = new Map<string, Promise<void>>();
  const timers = new Map<string, NodeJS.Timeout>();
  let stopped = false;

  async function attempt({ name, run }: Job): Promise<void> {
    const startedMs = performance.now();
    const lateMs = () => ({ job: name, ms: Math.round(performance.now() - startedMs) });
    const watch = setTimeout(() => log.warn(lateMs(), 'a job takes long; the others go on'), longMs);
    try {
      await run();
    } catch (error) {
      // A stop takes the database away from a job that runs; the next start does what it left.
      if (stopped) log.debug({ err: error, job: name }, 'the stop cut a job short');
      else log.error({ err: error, job: name }, 'a job failed and will be tried again');
    } finally {
      clearTimeout(watch);
      const { ms } = lateMs();
      if (ms > longMs) log.warn({ job: name, ms }, 'a job that took long has ended');
    }
  }

  /** Never twice at once: who asks while it runs gets a new run after that one. */
  async function runOnce(job: Job): Promise<void> {
    for (let other = running.get(job.name); other; other = running.get(job.name)) await other;
    if (stopped) return;
    const work = attempt(job).finally(() => running.delete(job.name));
    running.set(job.name, work);
    await work;
  }

  async function runInOrder(job: Job): Promise<void> {
    for (const name of job.after ?? []) await runOnce(byName.get(name) as Job);
    await runOnce(job);
  }

  function schedule(job: Job, afterMs: number): void {
    if (stopped) return;
    const timer = setTimeout(() => void runInOrder(job).then(() => schedule(job, pauseMs)), afterMs);
    timers.set(job.name, timer);
  }

  return {
    start() {
      // Spread over the pause, so that they do not all ask the database at once.
      catalogue.forEach((job, nth) => {
        schedule(job, pauseMs + (nth * pauseMs) / catalogue.length);
      });
    },
    async runAll() {
      for (const job of catalogue) await runOnce(job);
    },
    async stop() {
      stopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(running.values());
    },
  };
}
