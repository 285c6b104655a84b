import { randomUUID } from 'node:crypto';
import { appendEvent } from '../../events/index.ts';
import { type Clock, newUuid, type Tx, transaction } from '../../platform/index.ts';
import { platformHolder, transfer } from '../ledger/transfer.ts';
import { readPool } from '../sql.ts';
import type { PaymentDeps } from './calls.ts';
import { insertCollection, listDebtors, listOwed, noteOwed, waive } from './debt-sql.ts';

/** The next sweep takes the others. */
const debtorsAtOnce = 100;

/**
 * Collects an owner's debt for reversals as far as the pool covers it, oldest first. In a transaction that holds the
 * ledger lock. If nothing is owed, it costs one query.
 */
export async function collectOwed(tx: Tx, clock: Clock, ownerId: string, correlationId: string): Promise<void> {
  const { balance, owed } = await readPool(tx, ownerId);
  if (balance === 0 || owed === 0) return;
  const at = clock.now();
  const from = { holder: ownerId, kind: 'pool_available' } as const;
  const to = { holder: platformHolder, kind: 'processor_clearing' } as const;
  let left = balance;
  for (const { id: reversalId, kind, ...reversal } of await listOwed(tx, ownerId)) {
    const missing = reversal.amount - reversal.taken;
    const amount = Math.min(left, missing);
    if (amount === 0) break;
    left -= amount;
    const id = newUuid(clock);
    await insertCollection(tx, id, reversalId, amount);
    await transfer(tx, [{ subject: id, cause: 'reversal_collected', from, to, amount, at }]);
    const data = { kind, amount, missing: missing - amount };
    await appendEvent(tx, { type: 'pool.reversal_collected', district: 'vault', at, correlationId, ownerId, data });
  }
  await noteOwed(tx, ownerId, at);
}

/** Collects from pools that have got credits since, as a task that ended gives them back. Several processes may run it. */
export async function collectDebts({ pool, clock, log }: Pick<PaymentDeps, 'pool' | 'clock' | 'log'>): Promise<void> {
  for (const { ownerId } of await listDebtors(pool, debtorsAtOnce)) {
    try {
      await transaction(pool, 'ledger', (tx) => collectOwed(tx, clock, ownerId, randomUUID()));
    } catch (error) {
      // One must not keep the others waiting.
      log.warn({ err: error, ownerId }, 'what an owner owes could not be collected; the next sweep tries again');
    }
  }
}

/** The operator has waived the rest of a reversal. */
export async function waiveRest(tx: Tx, ref: string, at: Date): Promise<void> {
  for (const { ownerId } of await waive(tx, ref, at)) await noteOwed(tx, ownerId, at);
}
