import { randomUUID } from 'node:crypto';
import { manualClock, type Pool } from '../../src/platform/index.ts';
import { noteOwed } from '../../src/vault/payments/debt-sql.ts';
import type { Reversal } from '../../src/vault/payments/pay-in.ts';
import { bookReversals } from '../../src/vault/payments/reversals.ts';
import { findTopUp, type TopUpRow } from '../../src/vault/payments/top-up-sql.ts';
import { quiet, startedAt } from './world.ts';

export const paymentDeps = (pool: Pool) => {
  const clock = manualClock(new Date(startedAt));
  return { pool, clock, log: quiet, processor: null };
};

/** Books what went back of the top-up that brought the owner's credits. */
export async function tellReversals(pool: Pool, owner: string, reversals: Reversal[]): Promise<void> {
  const { rows } = await pool.query(`select id from top_ups where owner_id = $1 and status = 'succeeded'`, [owner]);
  await bookReversals(paymentDeps(pool), (await findTopUp(pool, rows[0].id)) as TopUpRow, reversals);
}

/** The cardholder's bank takes back so much. */
export const dispute = (pool: Pool, owner: string, amountCents: number) =>
  tellReversals(pool, owner, [{ ref: randomUUID(), kind: 'dispute', amountCents, state: 'standing' }]);

/** A dispute that found nothing in the pool, as if what the pool has had come back since. */
export async function plantDebt(pool: Pool, owner: string, cents: number): Promise<void> {
  await pool.query(
    `insert into top_up_reversals (id, top_up_id, owner_id, processor_ref, kind, amount, taken, state, created_at)
     select $1, id, owner_id, 'dp_planted', 'dispute', $3, 0, 'standing', now() from top_ups where owner_id = $2`,
    [randomUUID(), owner, cents],
  );
  await noteOwed(pool, owner, new Date());
}
