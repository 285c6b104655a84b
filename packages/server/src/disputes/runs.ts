import { type Clock, withTimeout } from '../platform/index.ts';
import type { DisputeDeps } from './deps.ts';

/** Gate runs that the sweep has begun: a few at once, each once, and waited for only a moment, for they can take minutes. */
export interface Runs {
  /** How many more may be begun. */
  room(): number;
  /** What runs. */
  ids(): string[];
  /** Starts runs that are due; resolves when all are done or `patienceMs` is over. */
  begin(works: { id: string; run(): Promise<void> }[]): Promise<void>;
  /** Resolves when nothing runs, for an orderly stop. */
  idle(): Promise<void>;
}

export function createRuns(clock: Clock, atOnce: number, patienceMs: number): Runs {
  const running = new Map<string, Promise<void>>();
  return {
    room: () => atOnce - running.size,
    ids: () => [...running.keys()],
    async begin(works) {
      const begun = works
        .filter(({ id }) => !running.has(id))
        .map(({ id, run }) => {
          const work = run().finally(() => running.delete(id));
          running.set(id, work);
          return work;
        });
      if (begun.length === 0) return;
      await withTimeout(clock, patienceMs, Promise.all(begun));
    },
    idle: async () => {
      await Promise.all(running.values());
    },
  };
}

/** Longer than the longest gate run: a run without an answer by then is repeated. */
const leaseMs = 480_000;

/**
 * What a process leases gate runs with, as values of a statement: $1 now, $2 the end of the lease, $3 how many at most,
 * $4 the process, $5 its data directory, $6 since when a server must be gone for none to wait for it, $7 what runs here.
 */
export type Lease = [
  now: string,
  until: string,
  atMost: number,
  host: string,
  store: string,
  goneSince: string,
  running: string[],
];

/** Null while nothing more may be begun. */
export function nextLease({ hosts, clock, config, stopping }: DisputeDeps, runs: Runs): Lease | null {
  const room = runs.room();
  if (room <= 0 || stopping.aborted) return null;
  const nowMs = clock.now().getTime();
  const at = (ms: number) => new Date(ms).toISOString();
  const goneSince = at(nowMs - config.DELIVERY_WAIT_MS);
  return [at(nowMs), at(nowMs + leaseMs), room, hosts.id, hosts.store, goneSince, runs.ids()];
}

/**
 * SQL for the rows that a lease takes: their time has come, or this process leased them and does not run them. The answer
 * to a lease is lost if the database goes down at that moment, and so is the note that a run failed. Left out are those
 * whose delivered workspace lies on the disk of another server that lives or may come back.
 */
export const isLeasable = (id: string): string =>
  `(x.due_at <= $1 or x.due_at is not null and x.leased_by = $4 and not x.${id} = any($7))
   and not exists (select from deliveries d join hosts h on h.store = d.store
     where d.task_id = x.task_id and d.store <> $5 and (h.ended_at is null or h.ended_at > $6))`;

/** Whether a row may be leasable at the time `$1`: its time has come, or somebody has leased it. */
export const mayBeLeasable = (table: string): string =>
  `exists (select from ${table} where due_at is not null and (due_at <= $1 or leased_by is not null))`;

/** After this many failed runs for a reason of the platform, it is decided without one. */
const maxRuns = 8;

interface Leased {
  taskId: string;
  attempts: number;
}

/** What is done with a run that failed: it is put off, and after the last one given up. */
interface Failed {
  message: string;
  giveUp(): Promise<unknown>;
  putOff(until: Date): Promise<unknown>;
}

/** Runs what was leased. Never rejects: a run that failed for a reason of ours is repeated. */
export async function attempt(
  { clock, log }: Pick<DisputeDeps, 'clock' | 'log'>,
  { taskId, attempts }: Leased,
  run: () => Promise<void>,
  { message, giveUp, putOff }: Failed,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    log.error({ err: error, taskId, attempts }, message);
    const noted = attempts >= maxRuns ? giveUp() : putOff(new Date(clock.now().getTime() + backoffMs(attempts)));
    // If that fails too, the next sweep finds it leased here and not running.
    await noted.catch(() => undefined);
  }
}

/** 5 s, and twice as long each time, up to 10 min. */
const backoffMs = (attempts: number) => Math.min(600_000, 5_000 * 2 ** (Math.max(1, attempts) - 1));
