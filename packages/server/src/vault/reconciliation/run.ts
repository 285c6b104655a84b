import { hourMs, newUuid, type Pool, violates } from '../../platform/index.ts';
import type { PaymentDeps } from '../payments/calls.ts';
import { checkAccounts, maxMismatches } from './accounts.ts';
import { compareBooks } from './books.ts';
import { uncoveredReversals } from './books-sql.ts';
import type { Finding } from './finding.ts';
import { closeGone, oldestOpen, type Since } from './finding-sql.ts';
import { raise } from './raise.ts';
import { endAbandoned, failRun, finishRun, insertRun, lastChecked, type RunRow } from './run-sql.ts';
import { settleFindings } from './settle.ts';

export type ReconciliationDeps = Pick<PaymentDeps, 'pool' | 'clock' | 'log' | 'processor' | 'processorTimeoutMs'> & {
  /** Cuts a run short when the server stops. */
  stopping?: AbortSignal;
};

/** No run takes longer. After this time another run may replace one that died. */
const leaseMs = 6 * hourMs;
/** Records younger than this may still be on their way between the processor's books and ours. */
const graceMs = hourMs;
/** How far behind the last comparison the next one begins again. */
const overlapMs = 24 * hourMs;
/**
 * Refunds can fail and disputes can be decided for this long. Open findings are compared again regardless of their age.
 */
const reachMs = 120 * 24 * hourMs;
const nextRecordMs = 30_000;

interface Books {
  processor: RunRow['processor'];
  records: number;
  /** The differences that this run has not settled. */
  findings: Finding[];
  settled: number;
  /** From when on findings that were not found again are gone; null if nothing was compared. */
  since: Since | null;
}

/** Records say when they were made and not when they changed, so those that still may change are read each time. */
async function beginnings(pool: Pool, until: Date): Promise<Since> {
  const last = await lastChecked(pool);
  const next = last === null ? new Date(0) : new Date(Date.parse(last) - overlapMs);
  const reach = new Date(until.getTime() - reachMs);
  const open = await oldestOpen(pool, reach);
  const earlier = (one: Date, other = next) => (one < other ? one : other);
  return { charge: earlier(next, open.charge), reversal: earlier(next, reach), payout: earlier(next, open.payout) };
}

/** A processor that cannot be reached does not keep balances from being checked; its books wait for the next run. */
async function books(deps: ReconciliationDeps, until: Date, correlationId: string): Promise<Books> {
  const { pool, processor, log, stopping } = deps;
  const nothing = { records: 0, findings: [], settled: 0, since: null };
  if (!processor) return { processor: 'not_configured', ...nothing };
  const since = await beginnings(pool, until);
  const signal = AbortSignal.any([AbortSignal.timeout(leaseMs / 2), ...(stopping ? [stopping] : [])]);
  try {
    const limits = { nextRecordMs: deps.processorTimeoutMs ?? nextRecordMs, signal };
    const { records, findings } = await compareBooks(pool, processor, { since, until }, limits);
    const left = await settleFindings({ ...deps, correlationId }, processor, findings, signal);
    return { processor: 'checked', records, ...left, since };
  } catch (error) {
    stopping?.throwIfAborted();
    log.warn({ err: error }, 'the books of the payment processor could not be compared');
    return { processor: 'unreachable', ...nothing };
  }
}

async function work(deps: ReconciliationDeps, id: string, correlationId: string): Promise<RunRow> {
  const { pool, clock } = deps;
  const until = new Date(clock.now().getTime() - graceMs);
  const { accounts, findings: ofAccounts } = await checkAccounts(pool);
  deps.stopping?.throwIfAborted();
  const compared = await books(deps, until, correlationId);
  const uncovered = await uncoveredReversals(pool, maxMismatches);
  const seen: string[] = [];
  let raised = 0;
  for (const finding of [...ofAccounts, ...compared.findings, ...uncovered]) {
    const { id: findingId, isNew } = await raise({ pool, clock, correlationId }, finding, 'open');
    seen.push(findingId);
    if (isNew) raised++;
  }
  // A list that was cut proves nothing about records that it left out.
  const isWhole = (found: Finding[]) => found.length < maxMismatches;
  await closeGone(pool, {
    seen,
    accounts: isWhole(ofAccounts),
    uncovered: isWhole(uncovered),
    since: compared.since,
  });
  const { processor, records, settled } = compared;
  const run = await finishRun(pool, { id, accounts, records, processor, raised, settled }, clock.now());
  if (!run) throw new Error(`the reconciliation ${id} has lost its row`);
  return run;
}

/**
 * Recomputes balances and compares the processor's books. Settles what these prove, and raises other differences. Null
 * if another run is in progress on any server. Only short transactions write, and only settling takes the ledger lock.
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
