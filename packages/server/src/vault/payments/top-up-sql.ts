import { type Queryable, row, rows } from '../../platform/index.ts';

/** A charge we mean to make, are making or have made. Amounts are cents. */
export interface TopUpRow {
  id: string;
  ownerId: string;
  amount: number;
  paymentMethodId: string;
  status: 'pending' | 'succeeded' | 'failed';
  failure: string | null;
  correlationId: string;
  createdAt: string;
}

const topUpColumns = `id, owner_id as "ownerId", amount, payment_method_id as "paymentMethodId", status, failure,
  correlation_id as "correlationId", created_at as "createdAt"`;

/** Writes the intent; null where one of this id was written before. */
export const insertTopUp = (db: Queryable, topUp: Omit<TopUpRow, 'status' | 'failure' | 'createdAt'> & { at: Date }) =>
  row<TopUpRow>(
    db,
    'payments_insert_top_up',
    `insert into top_ups (id, owner_id, amount, payment_method_id, correlation_id, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (id) do nothing returning ${topUpColumns}`,
    [topUp.id, topUp.ownerId, topUp.amount, topUp.paymentMethodId, topUp.correlationId, topUp.at.toISOString()],
  );

export const findTopUp = (db: Queryable, id: string) =>
  row<TopUpRow>(db, 'payments_find_top_up', `select ${topUpColumns} from top_ups where id = $1`, [id]);

/** Intents written before the given time that are still undecided, by id from after `afterId`. */
export const listPendingTopUps = (db: Queryable, before: Date, afterId: string, limit: number) =>
  rows<TopUpRow>(
    db,
    'payments_pending_top_ups',
    `select ${topUpColumns} from top_ups
     where status = 'pending' and created_at <= $1 and id > $2 order by id limit $3`,
    [before.toISOString(), afterId, limit],
  );

/**
 * Notes that the money was taken; false where that was noted before. An intent given up for lost is taken up again
 * when its charge turns out to have been made, because the owner has then paid for it.
 */
export async function markSucceeded(tx: Queryable, id: string, ref: string, at: Date): Promise<boolean> {
  const changed = await rows(
    tx,
    'payments_mark_succeeded',
    `update top_ups set status = 'succeeded', processor_ref = $2, failure = null, resolved_at = $3
     where id = $1 and status <> 'succeeded' returning id`,
    [id, ref, at.toISOString()],
  );
  return changed.length === 1;
}

export const markFailed = (db: Queryable, id: string, failure: string, at: Date) =>
  rows(
    db,
    'payments_mark_failed',
    `update top_ups set status = 'failed', failure = $2, resolved_at = $3 where id = $1 and status = 'pending'`,
    [id, failure, at.toISOString()],
  );

/** What the owner can spend, in cents. */
export async function readPoolBalance(db: Queryable, ownerId: string): Promise<number> {
  const found = await row<{ balance: number }>(
    db,
    'payments_pool_balance',
    `select balance from ledger_accounts where holder = $1 and kind = 'pool_available'`,
    [ownerId],
  );
  return found?.balance ?? 0;
}
