import { type Queryable, rows } from '../../platform/index.ts';
import { freezePayouts } from '../payouts/payout-hold.ts';
import type { Reversal } from './pay-in.ts';
import type { ReversalRow } from './reversal-sql.ts';

/** SQL for the reversals that are owed: not undone, not waived, and not fully paid by the pool. */
export const isOwed = `state = 'standing' and taken < amount and waived_at is null`;

/**
 * Sets an owner's debt to the sum of its reversals, and freezes as much of the earnings that it paid for. Under the ledger
 * lock, whenever one of them has changed.
 */
export async function noteOwed(tx: Queryable, ownerId: string, at: Date): Promise<void> {
  await rows(
    tx,
    'debts_note',
    `insert into ledger_accounts (holder, kind, owed)
     select $1, 'pool_available', coalesce(sum(amount - taken), 0) from top_up_reversals where owner_id = $1 and ${isOwed}
     on conflict (holder, kind) do update set owed = excluded.owed`,
    [ownerId],
  );
  await freezePayouts(tx, ownerId, at);
}

/** Reversals that an owner still owes, oldest first. */
export const listOwed = (tx: Queryable, ownerId: string) =>
  rows<Pick<ReversalRow, 'id' | 'amount' | 'taken'> & Pick<Reversal, 'kind'>>(
    tx,
    'debts_list',
    `select id, kind, amount, taken from top_up_reversals where owner_id = $1 and ${isOwed} order by created_at, id`,
    [ownerId],
  );

/** Owners who owe and have something. */
export const debtors = `select distinct r.owner_id as "ownerId" from top_up_reversals r
  join ledger_accounts a on a.holder = r.owner_id and a.kind = 'pool_available' where ${isOwed} and a.balance > 0`;

export const listDebtors = (db: Queryable, limit: number) =>
  rows<{ ownerId: string }>(db, 'debts_list_debtors', `${debtors} limit $1`, [limit]);

export const insertCollection = (tx: Queryable, id: string, reversalId: string, amount: number) =>
  rows(
    tx,
    'debts_collect',
    `with collected as (insert into reversal_collections (id, reversal_id) values ($1, $2))
     update top_up_reversals set taken = taken + $3 where id = $2`,
    [id, reversalId, amount],
  );

/** Lets the rest of a reversal go; the owners whose it is. */
export const waive = (tx: Queryable, ref: string, at: Date) =>
  rows<{ ownerId: string }>(
    tx,
    'debts_waive',
    `update top_up_reversals set waived_at = $2 where processor_ref = $1 and ${isOwed} returning owner_id as "ownerId"`,
    [ref, at.toISOString()],
  );
