import { appendEvent } from '../../events/index.ts';
import { newUuid, type Tx, transaction } from '../../platform/index.ts';
import { switchOffReloads } from '../auto-top-up/auto-top-up-sql.ts';
import { platformHolder, transfer } from '../ledger/transfer.ts';
import { readPool } from '../sql.ts';
import type { PaymentDeps } from './calls.ts';
import { noteOwed } from './debt-sql.ts';
import { collectOwed } from './debts.ts';
import type { Reversal } from './pay-in.ts';
import { bookOwnRefund } from './refund-booking.ts';
import { findReversal, insertReversal, markUndone } from './reversal-sql.ts';
import type { TopUpRow } from './top-up-sql.ts';

const clearing = { holder: platformHolder, kind: 'processor_clearing' } as const;

/**
 * Books reversals of a top-up: each refund and dispute at most once, however often and in whatever order it is
 * reported. The pool pays what it has; the rest is owed and collected later.
 */
export async function bookReversals(deps: PaymentDeps, topUp: TopUpRow, reversals: Reversal[]): Promise<void> {
  for (const reversal of reversals) {
    await transaction(deps.pool, 'ledger', (tx) => bookReversal(tx, deps, topUp, reversal));
  }
}

async function bookReversal(tx: Tx, deps: PaymentDeps, topUp: TopUpRow, reversal: Reversal): Promise<void> {
  const { clock } = deps;
  const { ownerId } = topUp;
  const { ref, kind, amountCents: amount, state } = reversal;
  const pool = { holder: ownerId, kind: 'pool_available' } as const;
  const at = clock.now();
  const event = { district: 'vault', at, correlationId: topUp.correlationId, ownerId } as const;
  if (await bookOwnRefund(tx, deps, topUp, reversal)) return;
  const known = await findReversal(tx, topUp.id, ref);
  if (!known) {
    // The oldest debt comes first.
    await collectOwed(tx, clock, ownerId, topUp.correlationId);
    const taken = state === 'undone' ? 0 : Math.min(amount, (await readPool(tx, ownerId)).balance);
    const id = newUuid(clock);
    await insertReversal(tx, { id, topUpId: topUp.id, ownerId, ref, kind, amount, taken, state, at });
    if (state === 'undone') return;
    await transfer(tx, [{ subject: id, cause: 'top_up_refunded', from: pool, to: clearing, amount: taken, at }]);
    const data = { kind, amount, taken, missing: amount - taken };
    await appendEvent(tx, { ...event, type: 'pool.top_up_refunded', data });
    await noteOwed(tx, ownerId, at);
    // Or the card that took its money back would be charged for the pool that this emptied.
    if (await switchOffReloads(tx, ownerId)) {
      const reason = `Money of a top-up went back to the card by a ${kind}.`;
      await appendEvent(tx, { ...event, type: 'auto_top_up.disabled', data: { reason } });
    }
  } else if (state === 'undone' && (await markUndone(tx, known.id, at))) {
    const { id: subject, taken } = known;
    await transfer(tx, [{ subject, cause: 'top_up_reinstated', from: clearing, to: pool, amount: taken, at }]);
    await appendEvent(tx, { ...event, type: 'pool.top_up_reinstated', data: { kind, amount: taken } });
    await noteOwed(tx, ownerId, at);
    await collectOwed(tx, clock, ownerId, topUp.correlationId);
  }
}
