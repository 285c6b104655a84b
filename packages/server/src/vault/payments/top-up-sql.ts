import { type Queryable, row, rows } from '../../platform/index.ts';

/** A charge we mean to make, are making or have made. Amounts are cents. */
export interface TopUpRow {
  id: string;
  ownerId: string;
  amount: number;
  paymentMethodId: string;
  /** Of the card; null if it was saved before cards had one. */
  instrument: string | null;
  status: 'pending' | 'succeeded' | 'failed';
  failure: string | null;
  correlationId: string;
  createdAt: string;
}

const topUpColumns = `id, owner_id as "ownerId", amount, payment_method_id as "paymentMethodId", instrument, status, failure,
  correlation_id as "correlationId", created_at as "createdAt"`;

/** `address` names the network of the caller; null where nobody calls. */
type NewTopUp = Omit<TopUpRow, 'instrument' | 'status' | 'failure' | 'createdAt'> & {
  address: string | null;
  automatic: boolean;
  at: Date;
};

/**
 * Writes the intent; null if one of this id was written before. With `failure` it is written as given up, so that another may be
 * under way meanwhile.
 */
export const insertTopUp = (db: Queryable, topUp: NewTopUp, failure: string | null = null) =>
  row<TopUpRow>(
    db,
    'payments_insert_top_up',
    `insert into top_ups
       (id, owner_id, amount, payment_method_id, correlation_id, created_at, address, automatic, instrument, status, failure)
     select $1, $2, $3, $4, $5, $6, $7, $8, (select instrument from payment_methods where owner_id = $2 and id = $4),
       case when $9::text is null then 'pending' else 'failed' end, $9
     on conflict (id) do nothing returning ${topUpColumns}`,
    [
      ...[topUp.id, topUp.ownerId, topUp.amount, topUp.paymentMethodId, topUp.correlationId],
      ...[topUp.at.toISOString(), topUp.address, topUp.automatic, failure],
    ],
  );

export const findTopUp = (db: Queryable, id: string) =>
  row<TopUpRow>(db, 'payments_find_top_up', `select ${topUpColumns} from top_ups where id = $1`, [id]);

export const hasPendingTopUp = async (tx: Queryable, ownerId: string): Promise<boolean> =>
  (await row(tx, 'payments_has_pending', `select from top_ups where owner_id = $1 and status = 'pending' limit 1`, [
    ownerId,
  ])) !== null;

/**
 * Takes undecided intents that are due for a question: the first when they are as old as `before`, the next after
 * half a minute, then twice as long each time, up to an hour. Nobody else asks meanwhile.
 */
export const claimPendingTopUps = (db: Queryable, now: Date, before: Date, limit: number) =>
  rows<TopUpRow>(
    db,
    'payments_claim_pending',
    `update top_ups set attempts = attempts + 1,
       due_at = $1::timestamptz + least(30 * 2 ^ least(attempts, 10), 3600) * interval '1 second'
     where id in (
       select id from top_ups where status = 'pending' and created_at <= $2 and (due_at is null or due_at <= $1)
       order by coalesce(due_at, created_at) limit $3 for update skip locked
     ) returning ${topUpColumns}`,
    [now.toISOString(), before.toISOString(), limit],
  );

/**
 * Notes that the money was taken; false if that was noted before. An intent given up for lost is taken up again
 * when its charge turns out to have been made, because the owner has then paid for it.
 */
export async function markSucceeded(
  tx: Queryable,
  id: string,
  { ref, availableAt }: { ref: string; availableAt?: Date },
  at: Date,
): Promise<boolean> {
  const changed = await rows(
    tx,
    'payments_mark_succeeded',
    `update top_ups set status = 'succeeded', processor_ref = $2, failure = null, resolved_at = $3, available_at = $4
     where id = $1 and status <> 'succeeded' returning id`,
    [id, ref, at.toISOString(), availableAt?.toISOString()],
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
