import { minuteMs } from '../../platform/index.ts';
import { type ReconciliationDeps, reconcile } from './run.ts';
import { lastRun } from './run-sql.ts';

/** A run that failed, or could not ask the processor, is tried again after this time. */
const retryMs = 3600 * 1000;

/** Reconciles from time to time, beside the sweep: a long ledger must delay nothing else. */
export function createReconciler(deps: ReconciliationDeps & { everyMs: number }) {
  let running: Promise<unknown> | null = null;

  async function isDue(): Promise<boolean> {
    const last = await lastRun(deps.pool);
    if (last === null) return true;
    const pauseMs = last.isWhole ? deps.everyMs : Math.min(retryMs, deps.everyMs);
    return Date.parse(last.startedAt) + pauseMs <= deps.clock.now().getTime();
  }

  return {
    name: 'vault.reconcile',
    /** How often it looks whether a run is due. */
    everyMs: Math.min(deps.everyMs || minuteMs, minuteMs),
    /** Starts a run where one is due; several servers may ask, and one of them gets it. */
    async run(): Promise<void> {
      if (deps.everyMs === 0 || running !== null || deps.stopping?.aborted || !(await isDue())) return;
      running = reconcile(deps)
        .catch((error) => {
          if (!deps.stopping?.aborted) deps.log.warn({ err: error }, 'a reconciliation failed and will be tried again');
        })
        .finally(() => {
          running = null;
        });
    },
    /** Waits for the run that is under way. */
    async idle(): Promise<void> {
      await running;
    },
  };
}
