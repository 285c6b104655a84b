import type { FindingKind } from '@agora/contract';
import type { Pool } from '../../platform/index.ts';
import { callProcessor, type PaymentDeps } from '../payments/calls.ts';
import type { ChargeState } from '../payments/pay-in.ts';
import type { PaymentProcessor } from '../payments/payment-processor.ts';
import { bookCharge } from '../payments/refund-settle.ts';
import { settleTopUp } from '../payments/top-up.ts';
import { findTopUp, type TopUpRow } from '../payments/top-up-sql.ts';
import { ourCharges, ourReversals } from './books-sql.ts';
import { compareKey, type TheirItem } from './compare.ts';
import type { Finding } from './finding.ts';
import { isCleared } from './finding-sql.ts';
import { raise } from './raise.ts';

/** Findings that come of news that we never had, and that the charge itself can tell. */
const told: readonly FindingKind[] = ['charge_missing_here', 'reversal_missing_here', 'reversal_missing_there'];

/** A processor that so often in a row does not answer is away; the next run asks again. */
const maxFailures = 3;

type Outcome = 'settled' | 'in order' | 'open';

/** What the processor says of the charge under the key of a finding, now. */
function theirsNow({ kind, subject, there }: Finding, { id }: TopUpRow, state: ChargeState): TheirItem[] {
  const at = new Date(0);
  if (kind === 'charge_missing_here') {
    const { charge } = state;
    return charge.status === 'succeeded'
      ? [{ key: id, ref: charge.ref, cents: there as number, at, isVoid: false }]
      : [];
  }
  return state.reversals
    .filter(({ ref }) => ref === subject)
    .map(({ ref, amountCents, state: is }) => ({ key: ref, ref, cents: amountCents, at, isVoid: is === 'undone' }));
}

const oursNow = async (pool: Pool, { kind, subject }: Finding, topUp: TopUpRow) =>
  (kind === 'charge_missing_here'
    ? await ourCharges.ofKeys(pool, [topUp.id])
    : await ourReversals.ofKeys(pool, [subject]))[0];

/** Books how the processor says that the charge stands, as its webhook would have had us do, and compares again. */
async function settle(
  deps: PaymentDeps,
  processor: PaymentProcessor,
  finding: Finding,
  chargeRef: string,
): Promise<Outcome> {
  const state = await callProcessor(deps, (signal) => processor.readCharge({ chargeRef }, signal));
  const topUp = state?.intentId ? await findTopUp(deps.pool, state.intentId) : null;
  if (!state || !topUp) return 'open';
  // Only the operator can say what it means that another amount was charged than we asked for.
  if (finding.kind === 'charge_missing_here' && finding.there !== topUp.amount) return 'open';
  const theirs = theirsNow(finding, topUp, state);
  // The list knows what the charge does not.
  if (theirs.length === 0) return 'open';
  await settleTopUp(deps, topUp, state.charge);
  await bookCharge(deps, processor, topUp, state.reversals);
  const ours = await oursNow(deps.pool, finding, topUp);
  const family = finding.kind === 'charge_missing_here' ? 'charge' : 'reversal';
  if (compareKey(family, ours, theirs).length > 0) return 'open';
  return finding.kind === 'reversal_missing_there' && ours?.state === 'booked' ? 'in order' : 'settled';
}

/**
 * Settles what the processor's own record of our charges proves, and tells of each; returns how many there were, and the
 * rest as it is. What turns out to be in order, for it is too old for the lists, is left out.
 */
export async function settleFindings(
  deps: PaymentDeps & { correlationId: string },
  processor: PaymentProcessor,
  findings: Finding[],
  signal: AbortSignal,
): Promise<{ findings: Finding[]; settled: number }> {
  const open: Finding[] = [];
  let settled = 0;
  let failures = 0;
  for (const finding of findings) {
    const { kind, subject, chargeRef } = finding;
    const mayAsk = told.includes(kind) && chargeRef && failures < maxFailures && !signal.aborted;
    if (!mayAsk || (await isCleared(deps.pool, finding))) {
      open.push(finding);
      continue;
    }
    try {
      const outcome = await settle(deps, processor, finding, chargeRef);
      failures = 0;
      if (outcome === 'open') open.push(finding);
      if (outcome !== 'settled') continue;
      settled += 1;
      await raise(deps, finding, 'settled');
    } catch (error) {
      failures += 1;
      deps.log.warn({ err: error, kind, subject }, 'a finding could not be settled');
      open.push(finding);
    }
  }
  return { findings: open, settled };
}
