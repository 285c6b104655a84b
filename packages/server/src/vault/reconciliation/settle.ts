import type { FindingKind } from '@agora-market/contract';
import type { Pool } from '../../platform/index.ts';
import { callProcessor, type PaymentDeps } from '../payments/calls.ts';
import type { ChargeState } from '../payments/pay-in.ts';
import type { PaymentProcessor } from '../payments/payment-processor.ts';
import { bookCharge } from '../payments/refund-settle.ts';
import { settleTopUp } from '../payments/top-up.ts';
import { findTopUp, insertTopUp, type TopUpRow } from '../payments/top-up-sql.ts';
import { ourCharges, ourReversals } from './books-sql.ts';
import { compareKey, type TheirItem } from './compare.ts';
import type { Finding } from './finding.ts';
import { isCleared } from './finding-sql.ts';
import { raise } from './raise.ts';

/** Findings that missing news explains, and that the charge itself can settle. */
const told: readonly FindingKind[] = ['charge_missing_here', 'reversal_missing_here', 'reversal_missing_there'];

/** A processor that so often in a row does not answer is away; the next run asks again. */
const maxFailures = 3;

type SettleDeps = PaymentDeps & { correlationId: string };
type Outcome = 'settled' | 'in order' | 'open';

/** The present state of a finding's charge at the processor. */
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

/** Result of a finding once its charge was booked. */
async function outcomeOf(pool: Pool, finding: Finding, topUp: TopUpRow, state: ChargeState): Promise<Outcome> {
  const theirs = theirsNow(finding, topUp, state);
  // The list has facts that the charge lacks.
  if (theirs.length === 0) return 'open';
  const ours = await oursNow(pool, finding, topUp);
  const family = finding.kind === 'charge_missing_here' ? 'charge' : 'reversal';
  if (compareKey(family, ours, theirs).length > 0) return 'open';
  return finding.kind === 'reversal_missing_there' && ours?.state === 'booked' ? 'in order' : 'settled';
}

/** Writes the intent of a charge again that was lost with the time after a restored database. Null where that may not be. */
function writeLost(
  { pool, correlationId }: SettleDeps,
  { intentId, paymentMethodId, charge }: ChargeState,
  findings: Finding[],
): Promise<TopUpRow | null> | null {
  const lost = findings.find(({ kind }) => kind === 'charge_missing_here');
  if (!lost?.ownerId || lost.there === null || lost.occurredAt === null) return null;
  if (intentId === null || paymentMethodId === null || charge.status !== 'succeeded') return null;
  const { ownerId, there: amount, occurredAt } = lost;
  const intent = { id: intentId, ownerId, amount, paymentMethodId, correlationId, address: null, automatic: false };
  return insertTopUp(pool, { ...intent, at: new Date(occurredAt) }, 'The record of the charge was lost.');
}

/**
 * Books the state of a charge at the processor, as its webhook would have. Then compares all findings about it again,
 * because booking for one may settle another.
 */
async function settleCharge(
  deps: SettleDeps,
  processor: PaymentProcessor,
  chargeRef: string,
  findings: Finding[],
): Promise<Outcome[]> {
  const state = await callProcessor(deps, (signal) => processor.readCharge({ chargeRef }, signal));
  const known = state?.intentId ? await findTopUp(deps.pool, state.intentId) : null;
  const topUp = known ?? (state && (await writeLost(deps, state, findings)));
  // Only the operator can decide about a charge whose amount differs from the one that we requested.
  const isOdd = ({ kind, there }: Finding) => kind === 'charge_missing_here' && there !== topUp?.amount;
  if (!state || !topUp || findings.some(isOdd)) return findings.map(() => 'open');
  try {
    await settleTopUp(deps, topUp, state.charge);
    await bookCharge(deps, processor, topUp, state.reversals);
  } catch (error) {
    // What was booked before stays booked.
    deps.log.warn({ err: error, chargeRef }, 'not all that the processor tells of a charge could be booked');
  }
  return Promise.all(findings.map((finding) => outcomeOf(deps.pool, finding, topUp, state)));
}

/** Findings by the charge that can settle them, without charges whose findings are all cleared. */
async function askable(pool: Pool, findings: Finding[]): Promise<Map<string, Finding[]>> {
  const byCharge = new Map<string, Finding[]>();
  const wanted = new Set<string>();
  for (const finding of findings) {
    const { kind, chargeRef } = finding;
    if (!chargeRef || !told.includes(kind)) continue;
    byCharge.set(chargeRef, [...(byCharge.get(chargeRef) ?? []), finding]);
    if (!(await isCleared(pool, finding))) wanted.add(chargeRef);
  }
  return new Map([...byCharge].filter(([chargeRef]) => wanted.has(chargeRef)));
}

/**
 * Settles what the processor's own record of our charges proves, and reports each. Returns how many it settled, and the
 * other findings unchanged. Leaves out findings that prove to be in order because they are too old for the lists.
 */
export async function settleFindings(
  deps: SettleDeps,
  processor: PaymentProcessor,
  findings: Finding[],
  signal: AbortSignal,
): Promise<{ findings: Finding[]; settled: number }> {
  const done = new Set<Finding>();
  let settled = 0;
  let failures = 0;
  for (const [chargeRef, about] of await askable(deps.pool, findings)) {
    if (failures === maxFailures || signal.aborted) break;
    try {
      const outcomes = await settleCharge(deps, processor, chargeRef, about);
      failures = 0;
      for (const [at, finding] of about.entries()) {
        if (outcomes[at] === 'open') continue;
        done.add(finding);
        if (outcomes[at] !== 'settled') continue;
        settled += 1;
        await raise(deps, finding, 'settled');
      }
    } catch (error) {
      failures += 1;
      deps.log.warn({ err: error, chargeRef }, 'what was found about a charge could not be settled');
    }
  }
  return { findings: findings.filter((finding) => !done.has(finding)), settled };
}
