import { randomUUID } from 'node:crypto';
import { toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { type Clock, dayMs, hourMs, minuteMs, newUuid, type Tx, transaction, violates } from '../../platform/index.ts';
import { holdPayment } from '../held/hold-payment.ts';
import type { GuardedDeps, PaymentDeps } from '../payments/calls.ts';
import type { PaymentProcessor } from '../payments/payment-processor.ts';
import { chargeIntent, neverReceived } from '../payments/top-up.ts';
import { insertTopUp, type TopUpRow } from '../payments/top-up-sql.ts';
import type { PaymentGuard, WantedPayment } from '../payments/velocity.ts';
import {
  beginReload,
  type DecidedReload,
  type DueReload,
  endReload,
  listDueReloads,
  lockDecidedReloads,
  lockDueReload,
  putReloadOff,
  reloadInTheWay,
} from './auto-top-up-sql.ts';

/** How long after the first, second and third failure in a row to try again; one more turns the auto-top-up off. */
const retryAfterMs = [hourMs, 6 * hourMs, 24 * hourMs];
/** A card is charged no more often, however fast a pool is emptied. */
const pauseMs = 10_000;
/** When a charge got lost on the way, which says nothing against the card. */
const lostAfterMs = minuteMs;
const chargesAtOnce = 20;

const after = (now: Date, ms: number) => new Date(now.getTime() + ms);

/**
 * Tops up pools below their threshold: intent, call and result as for any top-up, one at a time per owner. Several
 * processes may run it. Only the process that stores its intent in the owner's row charges. The outcome is read from
 * the intent, so it does not matter which process learnt it or died in between.
 */
export async function refillPools(deps: GuardedDeps): Promise<void> {
  const { processor, pool, clock } = deps;
  if (!processor) return;
  await endDecided(deps);
  const owners = await listDueReloads(pool, clock.now(), chargesAtOnce);
  if (owners.length === 0) return;
  const begun: Begun[] = [];
  // One after the other: each waits for the ledger lock with a connection, of which all others could run out.
  for (const ownerId of owners) {
    const reload = await tried(deps, ownerId, () =>
      transaction(deps.pool, 'ledger', (tx) => begin(deps, tx, processor, ownerId)),
    );
    if (reload) begun.push(reload);
  }
  await Promise.all(
    begun.map(({ intent, customerRef }) =>
      tried(deps, intent.ownerId, () => chargeIntent(deps, processor, customerRef, intent)),
    ),
  );
  await endDecided(deps);
}

interface Begun {
  intent: TopUpRow;
  customerRef: string;
}

/** One pool that cannot be refilled must not keep the others waiting. */
async function tried<R>({ log }: GuardedDeps, ownerId: string, work: () => Promise<R>): Promise<R | null> {
  try {
    return await work();
  } catch (error) {
    // The owner has just begun a top-up by hand.
    if (violates(error, 'top_ups_one_at_a_time')) return null;
    log.warn({ err: error, ownerId }, 'a pool could not be refilled; what was charged will be found out');
    return null;
  }
}

async function begin(
  { clock, guard }: GuardedDeps,
  tx: Tx,
  processor: PaymentProcessor,
  ownerId: string,
): Promise<Begun | null> {
  const now = clock.now();
  const due = await lockDueReload(tx, ownerId, processor.name, now);
  if (!due) return null;
  const { amount, failures, paymentMethodId, instrument, customerRef } = due;
  const correlationId = randomUUID();
  if (await isCapped(tx, due, { ownerId, correlationId, now })) return null;
  if (paymentMethodId === null || customerRef === null) {
    const failure = 'There is no default payment method to charge.';
    await fail(tx, { ownerId, topUpId: null, amount, failure, failures, enabled: true, correlationId }, now);
    return null;
  }
  const address = null;
  const wanted = { ownerId, instrument, address, amount };
  if (!(await guard.mayPayIn(tx, wanted, now))) {
    const failure = 'Your e-mail address is not verified.';
    await fail(tx, { ownerId, topUpId: null, amount, failure, failures, enabled: true, correlationId }, now);
    return null;
  }
  if (await isHeld(tx, { clock, guard }, wanted, correlationId)) return null;
  const id = newUuid(clock);
  const intent = await insertTopUp(tx, {
    ...{ id, ownerId, amount, paymentMethodId, correlationId, address, at: now },
    automatic: true,
  });
  if (!intent) throw new Error(`the intent of top-up ${id} was there before it was written`);
  await beginReload(tx, ownerId, id);
  return { intent, customerRef };
}

/**
 * Whether one more reload would go beyond what the owner lets its card be charged in a day or a month. Then the next waits
 * until there is room, and the owner is told once. The owner's row is locked until the intent is written, so of two at
 * once the second counts the first.
 */
async function isCapped(
  tx: Tx,
  { amount, maxPerDay, maxPerMonth }: DueReload,
  { ownerId, correlationId, now }: { ownerId: string; correlationId: string; now: Date },
): Promise<boolean> {
  for (const [window, ms, cap] of [['month', 30 * dayMs, maxPerMonth] as const, ['day', dayMs, maxPerDay] as const]) {
    const begunAt = await reloadInTheWay(tx, ownerId, { since: after(now, -ms), amount, cap });
    if (begunAt === null) continue;
    const resumesAt = after(begunAt, ms);
    await putReloadOff(tx, ownerId, resumesAt);
    const data = { window, cap, amount, resumesAt: resumesAt.toISOString() };
    await appendEvent(tx, { type: 'auto_top_up.capped', district: 'vault', at: now, correlationId, ownerId, data });
    return true;
  }
  return false;
}

/** Whether a limit of a day keeps a reload back; then it waits for the operator, or until there is room. */
async function isHeld(
  tx: Tx,
  { clock, guard }: { clock: Clock; guard: PaymentGuard },
  wanted: WantedPayment,
  correlationId: string,
): Promise<boolean> {
  const now = clock.now();
  const reason = await guard.overLimit(tx, 'top_up', wanted, now);
  if (reason === null) return false;
  await holdPayment(tx, { clock }, { ...wanted, kind: 'top_up', withdrawalId: null, reason }, correlationId);
  await putReloadOff(tx, wanted.ownerId, after(now, hourMs));
  return true;
}

/** Draws the consequences of reloads that were decided, each once: the row's lock is held until they are stored. */
async function endDecided({ pool, clock }: PaymentDeps): Promise<void> {
  const batch = 100;
  for (;;) {
    const ended = await transaction(pool, 'write', async (tx) => {
      const decided = await lockDecidedReloads(tx, batch);
      for (const reload of decided) await end(tx, reload, clock.now());
      return decided.length;
    });
    if (ended < batch) return;
  }
}

async function end(tx: Tx, reload: DecidedReload, now: Date): Promise<void> {
  const { ownerId, enabled, failures, amount, correlationId } = reload;
  if (reload.status === 'failed' && reload.failure !== neverReceived) return fail(tx, reload, now);
  if (reload.status === 'failed') {
    await endReload(tx, { ownerId, enabled, failures, dueAt: after(now, lostAfterMs) });
    return;
  }
  await endReload(tx, { ownerId, enabled, failures: 0, dueAt: after(now, pauseMs) });
  await appendEvent(tx, {
    type: 'auto_top_up.reloaded',
    district: 'vault',
    at: now,
    correlationId,
    ownerId,
    data: { transactionId: toId('transaction', reload.topUpId), amount },
  });
}

/** Tells the owner of each failure, and finally that there will be no more tries. */
async function fail(
  tx: Tx,
  reload: Omit<DecidedReload, 'topUpId' | 'status'> & { topUpId: string | null },
  now: Date,
): Promise<void> {
  const { ownerId, amount, failure, correlationId } = reload;
  const failures = reload.failures + 1;
  const waitMs = retryAfterMs[failures - 1];
  const enabled = reload.enabled && waitMs !== undefined;
  const dueAt = after(now, waitMs ?? 0);
  await endReload(tx, { ownerId, enabled, failures, dueAt });
  const event = { district: 'vault', at: now, correlationId, ownerId } as const;
  const retryAt = enabled ? dueAt.toISOString() : null;
  await appendEvent(tx, { ...event, type: 'auto_top_up.failed', data: { amount, reason: failure, failures, retryAt } });
  if (reload.enabled && !enabled)
    await appendEvent(tx, { ...event, type: 'auto_top_up.disabled', data: { failures, reason: failure } });
}
