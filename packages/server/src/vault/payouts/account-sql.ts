import { changedRows, type Queryable, row, rows } from '../../platform/index.ts';
import type { AccountStatus } from '../payments/pay-out.ts';

export interface PayoutAccountRow {
  ownerId: string;
  accountRef: string;
  /** Of the bank account behind it; null where none is known. */
  instrument: string | null;
  status: AccountStatus['status'];
  missing: string[];
}

const columns = 'owner_id as "ownerId", account_ref as "accountRef", instrument, status, missing';

export const findAccount = (db: Queryable, ownerId: string, processor: string) =>
  row<PayoutAccountRow>(
    db,
    'payouts_find_account',
    `select ${columns} from payout_accounts where owner_id = $1 and processor = $2`,
    [ownerId, processor],
  );

export const findAccountByRef = (db: Queryable, processor: string, accountRef: string) =>
  row<PayoutAccountRow>(
    db,
    'payouts_account_by_ref',
    `select ${columns} from payout_accounts where processor = $1 and account_ref = $2`,
    [processor, accountRef],
  );

/** Whom an account is made for; `since` is another once all credentials of the owner were ended. */
export async function findPayee(db: Queryable, ownerId: string): Promise<{ email: string; since: number | null }> {
  const found = await row<{ email: string; since: number | null }>(
    db,
    'payouts_payee',
    `select email, (select max(seq) from events
       where owner_id = $1 and task_id is null and type = 'owner.credentials_ended') as since
     from owners where id = $1`,
    [ownerId],
  );
  if (!found) throw new Error(`owner ${ownerId} is gone`);
  return found;
}

/** An account with the processor's answer from `askedAt`. */
export interface NewStatus extends PayoutAccountRow {
  processor: string;
  askedAt: Date;
}

const valuesOf = (account: NewStatus) => [
  account.ownerId,
  account.processor,
  account.accountRef,
  account.status,
  account.missing,
  account.askedAt.toISOString(),
  account.instrument,
];

/** Two answers kept at once would otherwise both find nothing before them. */
const lockOwner = (tx: Queryable, ownerId: string) =>
  rows(tx, 'payouts_lock_owner', 'select from owners where id = $1 for no key update', [ownerId]);

/**
 * Stores an account with its status; returns what is new in it. Nothing is new if the same or a later answer is known.
 * It replaces the owner's account at another processor, or one that is gone.
 */
export async function saveAccount(tx: Queryable, account: NewStatus): Promise<'account' | 'status' | 'nothing'> {
  await lockOwner(tx, account.ownerId);
  const saved = await row<{ isSame: boolean | null }>(
    tx,
    'payouts_save_account',
    `with known as (select * from payout_accounts where owner_id = $1 and (processor, account_ref) = ($2, $3))
     insert into payout_accounts as a (owner_id, processor, account_ref, status, missing, created_at, asked_at, instrument)
     values ($1, $2, $3, $4, $5, $6, $6, $7)
     on conflict (owner_id) do update set processor = excluded.processor, account_ref = excluded.account_ref,
       status = excluded.status, missing = excluded.missing, asked_at = excluded.asked_at,
       instrument = excluded.instrument
     where (a.processor, a.account_ref) <> (excluded.processor, excluded.account_ref)
       or a.asked_at <= excluded.asked_at
     returning (select (status, missing, instrument) is not distinct from ($4, $5::text[], $7) from known) as "isSame"`,
    valuesOf(account),
  );
  if (!saved || saved.isSame) return 'nothing';
  return saved.isSame === null ? 'account' : 'status';
}

/** Stores an answer about the account that an owner has; it makes none where there is none any more, or another. */
export async function refreshAccount(tx: Queryable, account: NewStatus): Promise<'status' | 'nothing'> {
  await lockOwner(tx, account.ownerId);
  const changed = await changedRows(
    tx,
    'payouts_refresh_account',
    `with known as (select * from payout_accounts where owner_id = $1)
     update payout_accounts a set status = $4, missing = $5, asked_at = $6, instrument = $7
     from known k where a.owner_id = $1 and (a.processor, a.account_ref) = ($2, $3) and a.asked_at <= $6
       and (k.status, k.missing, k.instrument) is distinct from ($4, $5::text[], $7)`,
    valuesOf(account),
  );
  return changed === 0 ? 'nothing' : 'status';
}

/** Forgets an account that the processor has no longer. */
export const removeAccount = (db: Queryable, processor: string, accountRef: string) =>
  rows<{ ownerId: string }>(
    db,
    'payouts_remove_account',
    'delete from payout_accounts where processor = $1 and account_ref = $2 returning owner_id as "ownerId"',
    [processor, accountRef],
  );
