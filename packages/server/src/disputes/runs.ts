import { withTimeout } from '../platform/index.ts';
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

export function createRuns(atOnce: number, patienceMs: number): Runs {
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
      await withTimeout(patienceMs, Promise.all(begun));
    },
    idle: async () => {
      await Promise.all(running.values());
    },
  };
}

/** The process that assesses, its data directory, and since when a server must be gone for none to wait for it. */
export interface Assessor {
  host: string;
  store: string;
  goneSince: Date;
}

export const assessorOf = ({ hosts, clock, config }: Pick<DisputeDeps, 'hosts' | 'clock' | 'config'>): Assessor => ({
  host: hosts.id,
  store: hosts.store,
  goneSince: new Date(clock.now().getTime() - config.DELIVERY_WAIT_MS),
});

/**
 * SQL that is true for rows whose time has come, and for those that this process leased and does not run. The answer to
 * a lease is lost if the database goes down at that moment, and so is the note that a run failed.
 */
export const isDue = (id: string, now: string, host: string, running: string): string =>
  `(due_at <= ${now} or due_at is not null and leased_by = ${host} and not ${id} = any(${running}))`;

/** SQL that is false while the delivered workspace lies on the disk of another server that lives or may come back. */
export const isWithinReach = (taskId: string, store: string, goneSince: string): string =>
  `not exists (select from deliveries d join hosts h on h.store = d.store
     where d.task_id = ${taskId} and d.store <> ${store} and (h.ended_at is null or h.ended_at > ${goneSince}))`;

/** Longer than the longest gate run: a run without an answer by then is repeated. */
export const leaseMs = 480_000;
/** After this many failed runs for a reason of the platform, it is decided without one. */
export const maxRuns = 8;

/** 5 s, and twice as long each time, up to 10 min. */
export const backoffMs = (attempts: number) => Math.min(600_000, 5_000 * 2 ** (Math.max(1, attempts) - 1));
