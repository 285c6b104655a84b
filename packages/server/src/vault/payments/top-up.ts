import type { Operations } from '@agora-market/contract';
import { requireAccount } from '../../auth/index.ts';
import { appendEvent } from '../../events/index.ts';
import { ApiError, type Call, ensure, newUuid, type Tx, transaction, violates } from '../../platform/index.ts';
import { holdPayment } from '../held/hold-payment.ts';
import { platformHolder, transfer } from '../ledger/transfer.ts';
import { readPool } from '../sql.ts';
import { callProcessor, type GuardedDeps, type PaymentDeps, requireProcessor, within } from './calls.ts';
import { collectOwed } from './debts.ts';
import { findCustomerRef, findDefaultMethod } from './method-sql.ts';
import type { Charge } from './pay-in.ts';
import type { PaymentProcessor } from './payment-processor.ts';
import { settleDue } from './settle-due.ts';
import {
  claimPendingTopUps,
  findTopUp,
  hasPendingTopUp,
  insertTopUp,
  markFailed,
  markSucceeded,
  type TopUpRow,
} from './top-up-sql.ts';
import { unverifiedTopUpCents, type WantedPayment } from './velocity.ts';

type TopUpCall = Call<Operations['vault.topUp']>;

/** Before this time an intent belongs to the request that wrote it, which gives up on the processor sooner. */
const sweepAfterMs = 60_000;
/** A repeated request calls the processor twice, and its caller waits no longer than 15 s either. */
const halfMs = 7_000;

/** The failure of an intent whose request died before the processor received it: nobody refused anything. */
export const neverReceived = 'The payment processor never received the charge.';

/** The intent is committed before the processor is called, so that a crash in between is found and settled. */
export async function topUp(deps: GuardedDeps, call: TopUpCall) {
  const processor = requireProcessor(deps);
  const customerRef = await findCustomerRef(deps.pool, call.caller.ownerId, processor.name);
  ensure(customerRef, 'NO_PAYMENT_METHOD');
  const { intent, isNew } = await writeIntent(deps, call);
  // An older intent may have been charged so long ago that the processor no longer knows its idempotency key.
  const timed = isNew ? deps : within(deps, halfMs);
  const isCharged = !isNew && intent.status === 'pending' && (await lookUp(timed, processor, intent)) !== null;
  if (intent.status === 'pending' && !isCharged) await chargeIntent(timed, processor, customerRef, intent);
  const { status, failure } = (await findTopUp(deps.pool, intent.id)) ?? intent;
  if (status === 'failed') throw new ApiError('CARD_DECLINED', undefined, { reason: failure });
  ensure(
    status === 'succeeded',
    'PROCESSOR_ERROR',
    'The processor has not decided yet. The pool is credited if the charge succeeds.',
  );
  const { balance } = await readPool(deps.pool, intent.ownerId);
  return { newBalance: balance, amountCharged: intent.amount };
}

/**
 * A request that is repeated with its `Idempotency-Key` after a crash or a lost reply finds its first intent, so it
 * never pays twice.
 */
async function writeIntent(deps: GuardedDeps, call: TopUpCall): Promise<{ intent: TopUpRow; isNew: boolean }> {
  const { pool, clock } = deps;
  const { ownerId } = call.caller;
  const id = call.claim?.subject ?? newUuid(clock);
  const method = await findDefaultMethod(pool, ownerId);
  ensure(method, 'NO_PAYMENT_METHOD');
  const { amount } = call.body;
  const { correlationId, now } = call;
  try {
    const address = deps.guard.networkOf(call);
    const fields = {
      ...{ id, ownerId, amount, paymentMethodId: method.id, correlationId, address, at: now },
      automatic: false,
    };
    // Under the ledger lock, so that no two top-ups pass a limit together.
    const made = await transaction(pool, 'ledger', async (tx) => {
      await requireAccount(tx, ownerId, call.caller.credential);
      if (await findTopUp(tx, id)) return null;
      // Else the one under way would count towards the limits of its own repetition.
      ensure(!(await hasPendingTopUp(tx, ownerId)), 'TOP_UP_IN_PROGRESS');
      const wanted = { ownerId, instrument: method.instrument, address, amount };
      return (await isHeld(tx, deps, wanted, call)) ? 'held' : insertTopUp(tx, fields);
    });
    // After the commit, which keeps what waits for the operator. Which limit it was may tell of other accounts.
    if (made === 'held') throw new ApiError('TOP_UP_HELD');
    const intent = made ?? (await findTopUp(pool, id));
    if (!intent) throw new Error(`top-up ${id} was neither written nor found`);
    ensure(intent.amount === amount, 'IDEMPOTENCY_KEY_REUSED');
    return { intent, isNew: made !== null };
  } catch (error) {
    if (violates(error, 'top_ups_one_at_a_time')) throw new ApiError('TOP_UP_IN_PROGRESS');
    throw error;
  }
}

/** Whether a limit keeps a top-up from being made; then it is noted for the operator. */
async function isHeld(
  tx: Tx,
  deps: GuardedDeps,
  wanted: WantedPayment,
  { now, correlationId }: Pick<TopUpCall, 'now' | 'correlationId'>,
): Promise<boolean> {
  const details = { limit: unverifiedTopUpCents };
  ensure(await deps.guard.mayPayIn(tx, wanted, now), 'EMAIL_NOT_VERIFIED', undefined, details);
  const reason = await deps.guard.overLimit(tx, 'top_up', wanted, now);
  if (reason === null) return false;
  await holdPayment(tx, deps, { ...wanted, kind: 'top_up', withdrawalId: null, reason }, correlationId);
  return true;
}

/** If the call fails, nobody knows what was charged: the intent stays pending and the sweep finds out. */
export async function chargeIntent(
  deps: PaymentDeps,
  processor: PaymentProcessor,
  customerRef: string,
  intent: TopUpRow,
): Promise<void> {
  const { id: intentId, paymentMethodId, amount: amountCents } = intent;
  const outcome = await callProcessor(deps, (signal) =>
    processor.charge({ intentId, customerRef, paymentMethodId, amountCents }, signal),
  );
  await settleTopUp(deps, intent, outcome);
}

/** Books an outcome at most once, however often it is reported. */
export async function settleTopUp({ pool, clock }: PaymentDeps, intent: TopUpRow, outcome: Charge): Promise<void> {
  if (outcome.status === 'pending') return;
  const at = clock.now();
  if (outcome.status === 'declined') {
    await markFailed(pool, intent.id, outcome.reason, at);
    return;
  }
  const { id, ownerId, amount, instrument, correlationId } = intent;
  await transaction(pool, 'ledger', async (tx) => {
    if (!(await markSucceeded(tx, id, outcome, at))) return;
    const from = { holder: platformHolder, kind: 'processor_clearing' } as const;
    const to = { holder: ownerId, kind: 'pool_available' } as const;
    await transfer(tx, [{ subject: id, cause: 'top_up', from, to, amount, at }]);
    const data = { amount, ...(instrument !== null && { instrument }) };
    await appendEvent(tx, { type: 'pool.topped_up', district: 'vault', at, correlationId, ownerId, data });
    await collectOwed(tx, clock, ownerId, correlationId);
  });
}

/**
 * Settles charges whose request did not. A charge that the processor never received has failed. Returns how many the
 * processor answered.
 */
export const settlePendingTopUps = (deps: PaymentDeps) =>
  settleDue(deps, {
    what: 'top-up',
    claim: (_, now, limit) => claimPendingTopUps(deps.pool, now, new Date(now.getTime() - sweepAfterMs), limit),
    async settle(processor, intent) {
      const found = await lookUp(deps, processor, intent);
      if (!found) await settleTopUp(deps, intent, { status: 'declined', reason: neverReceived });
    },
  });

/** Asks for the outcome of a charge and books it; null if the processor never received it. */
async function lookUp(deps: PaymentDeps, processor: PaymentProcessor, intent: TopUpRow): Promise<Charge | null> {
  const customerRef = await findCustomerRef(deps.pool, intent.ownerId, processor.name);
  const request = { intentId: intent.id, customerRef, madeAt: new Date(intent.createdAt) };
  const found = await callProcessor(deps, (signal) => processor.lookUpCharge(request, signal));
  if (found) await settleTopUp(deps, intent, found);
  return found;
}
