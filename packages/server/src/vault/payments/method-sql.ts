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

/** An owner's customer id at a processor: ours from before the request, and the processor's. */
export interface CustomerNames {
  ownerId: string;
  processor: string;
  known: string | null;
  customerRef: string;
}

/**
 * The first name an owner gets at a processor stays; one in place of the name that was known, or another processor's,
 * replaces it. Null if nothing is new.
 */
export const saveCustomer = (tx: Queryable, { ownerId, processor, known, customerRef }: CustomerNames) =>
  row<{ ownerId: string }>(
    tx,
    'payments_save_customer',
    `insert into payment_customers as c (owner_id, processor, customer_ref) values ($1, $2, $3)
     on conflict (owner_id) do update set processor = excluded.processor, customer_ref = excluded.customer_ref
     where c.processor <> excluded.processor or (c.customer_ref = $4 and $4 <> $3)
     returning owner_id as "ownerId"`,
    [ownerId, processor, customerRef, known],
  );

/** Two methods saved at once would otherwise both find none before them and both want to be the default. */
export const lockPayer = (tx: Queryable, ownerId: string) =>
  rows(tx, 'payments_lock_payer', 'select from owners where id = $1 for no key update', [ownerId]);

/** How many methods an owner has, and whether this is one of them. */
export const countMethods = (db: Queryable, ownerId: string, id: string) =>
  row<{ count: number; isSaved: boolean }>(
    db,
    'payments_count_methods',
    'select count(*), coalesce(bool_or(id = $2), false) as "isSaved" from payment_methods where owner_id = $1',
    [ownerId, id],
  );

export const insertMethod = (
  tx: Queryable,
  method: Omit<PaymentMethodRow, 'isDefault' | 'createdAt'> & { ownerId: string; instrument: string; at: Date },
) =>
  row<PaymentMethodRow>(
    tx,
    'payments_insert_method',
    `insert into payment_methods (owner_id, id, brand, last4, exp_month, exp_year, is_default, created_at, instrument)
     select $1, $2, $3, $4, $5, $6, not exists (select from payment_methods where owner_id = $1), $7, $8
     returning ${methodColumns}`,
    [
      method.ownerId,
      method.id,
      method.brand,
      method.last4,
      method.expMonth,
      method.expYear,
      method.at.toISOString(),
      method.instrument,
    ],
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
  row<{ id: string; instrument: string | null }>(
    db,
    'payments_default_method',
    'select id, instrument from payment_methods where owner_id = $1 and is_default',
    [ownerId],
  );

/** Makes a method the default in place of another; null if the owner has no such method. */
export async function makeDefault(tx: Queryable, ownerId: string, id: string): Promise<PaymentMethodRow | null> {
  await rows(
    tx,
    'payments_drop_default',
    `update payment_methods set is_default = false where owner_id = $1 and is_default
       and exists (select from payment_methods where owner_id = $1 and id = $2)`,
    [ownerId, id],
  );
  return row<PaymentMethodRow>(
    tx,
    'payments_make_default',
    `update payment_methods set is_default = true where owner_id = $1 and id = $2 returning ${methodColumns}`,
    [ownerId, id],
  );
}

/** The newest method becomes the default where the owner has none. */
export const promoteNewest = (tx: Queryable, ownerId: string) =>
  rows(
    tx,
    'payments_promote_newest',
    `update payment_methods set is_default = true where (owner_id, id) = (
       select owner_id, id from payment_methods where owner_id = $1 order by created_at desc, id desc limit 1
     ) and not exists (select from payment_methods where owner_id = $1 and is_default)`,
    [ownerId],
  );

/**
 * Removes a method, unless it is the last one and auto-top-up is on; returns its customer and processor. Null if the
 * owner has no such method. The caller holds `lockPayer`, as does a request that turns auto-top-up on.
 */
export const removeMethod = (tx: Queryable, { ownerId, id }: { ownerId: string; id: string }) =>
  row<{ isRemoved: boolean; last4: string; brand: string; processor: string; customerRef: string }>(
    tx,
    'payments_remove_method',
    `with method as (
       select m.id, m.brand, m.last4, c.processor, c.customer_ref,
         exists (select from auto_top_ups a where a.owner_id = $1 and a.enabled)
           and not exists (select from payment_methods o where o.owner_id = $1 and o.id <> $2) as needed
       from payment_methods m join payment_customers c using (owner_id) where m.owner_id = $1 and m.id = $2
     ), removed as (
       delete from payment_methods m using method where m.owner_id = $1 and m.id = method.id and not method.needed
       returning m.id
     )
     select exists (select from removed) as "isRemoved", brand, last4, processor, customer_ref as "customerRef"
     from method`,
    [ownerId, id],
  );

/** Forgets all methods of an owner, oldest first. */
export const dropMethodsOf = (tx: Queryable, ownerId: string) =>
  rows<{ brand: string; last4: string }>(
    tx,
    'payments_drop_methods_of',
    `with gone as (delete from payment_methods where owner_id = $1 returning *)
     select brand, last4 from gone order by created_at, id`,
    [ownerId],
  );

/** Forgets a method that its owner no longer has at the processor; says whose it was. */
export const dropMethod = (tx: Queryable, processor: string, id: string) =>
  rows<{ ownerId: string; brand: string; last4: string }>(
    tx,
    'payments_drop_method',
    `delete from payment_methods m using payment_customers c
     where m.id = $2 and c.owner_id = m.owner_id and c.processor = $1
     returning m.owner_id as "ownerId", m.brand, m.last4`,
    [processor, id],
  );
