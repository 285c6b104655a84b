import { newUuid, violates } from '../../platform/index.ts';
import type { PaymentDeps } from '../payments/calls.ts';
import { checkAccounts, maxMismatches } from './accounts.ts';
import { compareBooks } from './books.ts';
import { uncoveredReversals } from './books-sql.ts';
import type { Finding } from './finding.ts';
import { closeGone } from './finding-sql.ts';
import { raise } from './raise.ts';
import { endAbandoned, failRun, finishRun, insertRun, lastChecked, type RunRow } from './run-sql.ts';

export type ReconciliationDeps = Pick<PaymentDeps, 'pool' | 'clock' | 'log' | 'processor' | 'processorTimeoutMs'> & {
  /** Cuts a run short when the server stops. */
  stopping?: AbortSignal;
};

const hourMs = 3600 * 1000;
/** No run takes longer; of one that died the next may take the place after this time. */
const leaseMs = 6 * hourMs;
/** Records younger than this may still be on their way between the processor's books and ours. */
const graceMs = hourMs;
/** How far behind the last comparison the next one begins again. */
const overlapMs = 24 * hourMs;
const nextRecordMs = 30_000;

interface Books {
  processor: RunRow['processor'];
  records: number;
  findings: Finding[];
  /** From when on findings that were not found again are gone; null where nothing was compared. */
  since: Date | null;
}

/** A processor that cannot be reached does not keep balances from being checked; its books wait for the next run. */
async function books(deps: ReconciliationDeps, until: Date): Promise<Books> {
  const { pool, processor, log, stopping } = deps;
  if (!processor) return { processor: 'not_configured', records: 0, findings: [], since: null };
  const last = await lastChecked(pool);
  const since = last === null ? new Date(0) : new Date(Date.parse(last) - overlapMs);
  const signal = AbortSignal.any([AbortSignal.timeout(leaseMs / 2), ...(stopping ? [stopping] : [])]);
  try {
    const limits = { nextRecordMs: deps.processorTimeoutMs ?? nextRecordMs, signal };
    const compared = await compareBooks(pool, processor, { processor: processor.name, since, until }, limits);
    return { processor: 'checked', ...compared, since };
  } catch (error) {
    stopping?.throwIfAborted();
    log.warn({ err: error }, 'the books of the payment processor could not be compared');
    return { processor: 'unreachable', records: 0, findings: [], since: null };
  }
}

async function work(deps: ReconciliationDeps, id: string, correlationId: string): Promise<RunRow> {
  const { pool, clock } = deps;
  const until = new Date(clock.now().getTime() - graceMs);
  const { accounts, findings: ofAccounts } = await checkAccounts(pool);
  deps.stopping?.throwIfAborted();
  const compared = await books(deps, until);
  const uncovered = await uncoveredReversals(pool, maxMismatches);
  const seen: string[] = [];
  let raised = 0;
  for (const finding of [...ofAccounts, ...compared.findings, ...uncovered]) {
    const { id: findingId, isNew } = await raise(deps, finding, correlationId);
    seen.push(findingId);
    if (isNew) raised++;
  }
  // A list that was cut short says nothing of what it left out.
  const isWhole = (found: Finding[]) => found.length < maxMismatches;
  await closeGone(pool, {
    seen,
    accounts: isWhole(ofAccounts),
    uncovered: isWhole(uncovered),
    since: compared.since,
  });
  const { processor, records } = compared;
  const run = await finishRun(pool, { id, accounts, records, processor, raised }, clock.now());
  if (!run) throw new Error(`the reconciliation ${id} has lost its row`);
  return run;
}

/**
 * Recomputes balances and compares the processor's books, and raises what does not fit. Null where another run is under
 * way, on whatever server. Only short transactions write, and the ledger's lock is never taken.
 */
export async function reconcile(deps: ReconciliationDeps, correlationId?: string): Promise<RunRow | null> {
  const { pool, clock, log } = deps;
  const id = newUuid(clock);
  const now = clock.now();
  await endAbandoned(pool, now);
  try {
    await insertRun(pool, id, now, new Date(now.getTime() + leaseMs));
  } catch (error) {
    if (violates(error, 'reconciliation_runs_one_at_a_time')) return null;
    throw error;
  }
  try {
    const run = await work(deps, id, correlationId ?? id);
    if (run.raised > 0) log.warn({ raised: run.raised }, 'reconciliation found what contradicts the books');
    return run;
  } catch (error) {
    await failRun(pool, id, clock.now()).catch(() => {});
    throw error;
  }
}
