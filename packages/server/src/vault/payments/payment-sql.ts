import { type Queryable, row, rows } from '../../platform/index.ts';

export interface PaymentMethodRow {
  id: string;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  isDefault: boolean;
  createdAt: string;
}

const methodColumns = `id, brand, last4, exp_month as "expMonth", exp_year as "expYear", is_default as "isDefault",
  created_at as "createdAt"`;

export async function findCustomerRef(db: Queryable, ownerId: string, processor: string): Promise<string | null> {
  const found = await row<{ ref: string }>(
    db,
    'payments_customer',
    'select customer_ref as ref from payment_customers where owner_id = $1 and processor = $2',
    [ownerId, processor],
  );
  return found?.ref ?? null;
}

/** The first name an owner gets at a processor stays; another processor's name replaces it. */
export const saveCustomer = (tx: Queryable, customer: { ownerId: string; processor: string; customerRef: string }) =>
  rows(
    tx,
    'payments_save_customer',
    `insert into payment_customers (owner_id, processor, customer_ref) values ($1, $2, $3)
     on conflict (owner_id) do update set processor = excluded.processor, customer_ref = excluded.customer_ref
     where payment_customers.processor <> excluded.processor`,
    [customer.ownerId, customer.processor, customer.customerRef],
  );

/** Two methods saved at once would otherwise both find none before them and both want to be the default. */
export const lockPayer = (tx: Queryable, ownerId: string) =>
  rows(tx, 'payments_lock_payer', 'select from owners where id = $1 for no key update', [ownerId]);

export const insertMethod = (
  tx: Queryable,
  method: Omit<PaymentMethodRow, 'isDefault' | 'createdAt'> & { ownerId: string; at: Date },
) =>
  row<PaymentMethodRow>(
    tx,
    'payments_insert_method',
    `insert into payment_methods (owner_id, id, brand, last4, exp_month, exp_year, is_default, created_at)
     select $1, $2, $3, $4, $5, $6, not exists (select from payment_methods where owner_id = $1), $7
     returning ${methodColumns}`,
    [method.ownerId, method.id, method.brand, method.last4, method.expMonth, method.expYear, method.at.toISOString()],
  );

/** Oldest first, after the given (created at, id). */
export const listMethods = (db: Queryable, ownerId: string, after: [string, string] | null, limit: number) =>
  rows<PaymentMethodRow>(
    db,
    'payments_list_methods',
    `select ${methodColumns} from payment_methods
     where owner_id = $1 and ($2::timestamptz is null or (created_at, id) > ($2, $3))
     order by created_at, id limit $4`,
    [ownerId, after?.[0], after?.[1], limit],
  );

export const findDefaultMethod = (db: Queryable, ownerId: string) =>
  row<{ id: string }>(
    db,
    'payments_default_method',
    'select id from payment_methods where owner_id = $1 and is_default',
    [ownerId],
  );

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
