import { type Queryable, row, rows } from '../../platform/index.ts';

/** An owner's settings. Amounts are cents. */
export interface AutoTopUpSetting {
  enabled: boolean;
  threshold: number;
  reloadAmount: number;
  /** What reloads may charge in 24 hours and 30 days; null only where it is off. */
  maxPerDay: number | null;
  maxPerMonth: number | null;
}

export const autoTopUpOf = async (db: Queryable, ownerId: string): Promise<AutoTopUpSetting> =>
  (await row<AutoTopUpSetting>(
    db,
    'auto_top_up_find',
    `select enabled, threshold, reload_amount as "reloadAmount", max_per_day as "maxPerDay", max_per_month as "maxPerMonth"
     from auto_top_ups where owner_id = $1`,
    [ownerId],
  )) ?? { enabled: false, threshold: 0, reloadAmount: 0, maxPerDay: null, maxPerMonth: null };

/** A new setting starts without failures and is due at once; a reload that is under way stays so. */
export const saveAutoTopUp = (tx: Queryable, ownerId: string, setting: AutoTopUpSetting, at: Date) =>
  rows(
    tx,
    'auto_top_up_save',
    `insert into auto_top_ups (owner_id, enabled, threshold, reload_amount, due_at, max_per_day, max_per_month)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (owner_id) do update set enabled = excluded.enabled, threshold = excluded.threshold,
       reload_amount = excluded.reload_amount, failures = 0, due_at = excluded.due_at,
       max_per_day = excluded.max_per_day, max_per_month = excluded.max_per_month`,
    [
      ...[ownerId, setting.enabled, setting.threshold, setting.reloadAmount, at.toISOString()],
      ...[setting.maxPerDay, setting.maxPerMonth],
    ],
  );

/**
 * Pools that may be charged now: auto-top-up is on, no reload is in progress, any pause is over, and the balance is
 * below the threshold. Left out are suspended owners, who can neither spend credits nor turn it off, and owners who
 * owe, because the debt would take one reload after another.
 */
const isDue = `a.enabled and a.top_up_id is null and a.due_at <= $1
       and exists (select from owners where id = a.owner_id and status = 'active')
       and a.threshold > 0 and not exists (select from ledger_accounts where holder = a.owner_id
         and kind = 'pool_available' and (balance >= a.threshold or owed > 0))`;

/** Reloads whose intent has been decided. */
const decided = `auto_top_ups a join top_ups u on u.id = a.top_up_id where a.top_up_id is not null and u.status <> 'pending'`;

/** Whether a reload is to be begun or ended, at the time `$1`. */
export const reloadsDue = `exists (select from auto_top_ups a where ${isDue}) or exists (select from ${decided})`;

/** Owners whose pool is due. Only those who switched it on are looked at, and of these only the balance. */
export const listDueReloads = async (db: Queryable, now: Date, limit: number): Promise<string[]> =>
  (
    await rows<{ ownerId: string }>(
      db,
      'auto_top_up_list_due',
      `select a.owner_id as "ownerId" from auto_top_ups a where ${isDue}
         and not exists (select from top_ups where owner_id = a.owner_id and status = 'pending')
       order by a.due_at limit $2`,
      [now.toISOString(), limit],
    )
  ).map((each) => each.ownerId);

/** Whether they were on. */
export const switchOffReloads = async (tx: Queryable, ownerId: string): Promise<boolean> =>
  (await row(
    tx,
    'auto_top_up_switch_off',
    'update auto_top_ups set enabled = false where owner_id = $1 and enabled returning owner_id',
    [ownerId],
  )) !== null;

export interface DueReload {
  amount: number;
  maxPerDay: number;
  maxPerMonth: number;
  failures: number;
  paymentMethodId: string | null;
  instrument: string | null;
  customerRef: string | null;
}

/** Locks a pool that is still due; null if it is not, or where somebody else has just locked it. */
export const lockDueReload = (tx: Queryable, ownerId: string, processor: string, now: Date) =>
  row<DueReload>(
    tx,
    'auto_top_up_lock_due',
    `select a.reload_amount as amount, a.max_per_day as "maxPerDay", a.max_per_month as "maxPerMonth", a.failures,
       m.id as "paymentMethodId", m.instrument,
       (select customer_ref from payment_customers where owner_id = a.owner_id and processor = $3) as "customerRef"
     from auto_top_ups a left join payment_methods m on m.owner_id = a.owner_id and m.is_default
     where ${isDue} and a.owner_id = $2 for update of a skip locked`,
    [now.toISOString(), ownerId, processor],
  );

/**
 * When a reload that must leave the window for another to fit under the cap was begun; null where there is room. Those that
 * are under way count as well, for they may be charged.
 */
export const reloadInTheWay = async (
  tx: Queryable,
  ownerId: string,
  { since, amount, cap }: { since: Date; amount: number; cap: number },
): Promise<Date | null> => {
  const found = await row<{ begunAt: string }>(
    tx,
    'auto_top_up_in_the_way',
    `select created_at as "begunAt" from (
       select created_at, sum(amount) over (order by created_at, id) as freed, sum(amount) over () as charged
       from top_ups where owner_id = $1 and automatic and status <> 'failed' and created_at > $2
     ) as reloads
     where charged + $3 > $4 and freed >= charged + $3 - $4 order by created_at limit 1`,
    [ownerId, since.toISOString(), amount, cap],
  );
  return found && new Date(found.begunAt);
};

/** Puts the next reload off. */
export const putReloadOff = (tx: Queryable, ownerId: string, dueAt: Date) =>
  rows(tx, 'auto_top_up_put_off', 'update auto_top_ups set due_at = $2 where owner_id = $1', [
    ownerId,
    dueAt.toISOString(),
  ]);

/** Ties a reload to its intent. */
export const beginReload = (tx: Queryable, ownerId: string, topUpId: string) =>
  rows(tx, 'auto_top_up_begin', 'update auto_top_ups set top_up_id = $2 where owner_id = $1', [ownerId, topUpId]);

export interface DecidedReload {
  ownerId: string;
  topUpId: string;
  amount: number;
  status: 'succeeded' | 'failed';
  failure: string | null;
  failures: number;
  enabled: boolean;
  correlationId: string;
}

/** Locks reloads whose intent has been decided, by whomever. */
export const lockDecidedReloads = (tx: Queryable, limit: number) =>
  rows<DecidedReload>(
    tx,
    'auto_top_up_lock_decided',
    `select a.owner_id as "ownerId", u.id as "topUpId", u.amount, u.status, u.failure, a.failures, a.enabled,
       u.correlation_id as "correlationId"
     from ${decided} limit $1 for update of a skip locked`,
    [limit],
  );

/** Ends a reload: how many failures in a row that makes, and when the next may be tried. */
export const endReload = (
  tx: Queryable,
  reload: { ownerId: string; enabled: boolean; failures: number; dueAt: Date },
) =>
  rows(
    tx,
    'auto_top_up_end',
    'update auto_top_ups set top_up_id = null, enabled = $2, failures = $3, due_at = $4 where owner_id = $1',
    [reload.ownerId, reload.enabled, reload.failures, reload.dueAt.toISOString()],
  );
