import type { AccountKind, TransferCause } from '@agora/contract';
import { type Queryable, row, rows } from '../platform/index.ts';

/** Balances of one holder by account kind, in cents; accounts that never moved are 0. */
export async function balancesOf(db: Queryable, holder: string): Promise<Record<AccountKind, number>> {
  const found = await rows<{ kind: AccountKind; balance: number }>(
    db,
    'vault_balances',
    'select kind, balance from ledger_accounts where holder = $1',
    [holder],
  );
  const balances = {} as Record<AccountKind, number>;
  for (const kind of ['pool_available', 'pool_held', 'wallet_available', 'wallet_escrowed'] as const) {
    balances[kind] = found.find((account) => account.kind === kind)?.balance ?? 0;
  }
  return balances;
}

export interface EntryRow {
  seq: number;
  side: 0 | 1;
  subject: string;
  cause: TransferCause;
  kind: AccountKind;
  amount: number;
  balanceBefore: number;
  balanceAfter: number;
  taskId: string | null;
  counterparty: AccountKind;
  createdAt: string;
}

/** Entries of a holder's accounts, newest first; `before` is the previous page's last (seq, side). */
export const entriesOf = (
  db: Queryable,
  holder: string,
  kinds: AccountKind[],
  before: [number, number] | null,
  limit: number,
) =>
  rows<EntryRow>(
    db,
    'vault_entries',
    `select e.* from unnest($2::account_kind[]) as k(kind) cross join lateral (
       select seq, side, subject, cause, kind, amount, balance_before as "balanceBefore", balance_after as "balanceAfter",
         task_id as "taskId", counterparty, created_at as "createdAt"
       from ledger_entries where holder = $1 and kind = k.kind and ($3::bigint is null or (seq, side) < ($3, $4))
       order by seq desc, side desc limit $5
     ) e order by e.seq desc, e.side desc limit $5`,
    [holder, kinds, before?.[0], before?.[1], limit],
  );

/** Releases due earnings in batches, each a transaction of its own; returns how many. */
export const releaseBatch = async (db: Queryable, now: Date, limit: number): Promise<number> =>
  (
    await row<{ released: number }>(db, 'vault_release', 'select vault_release_earnings($1, $2) as released', [
      now.toISOString(),
      limit,
    ])
  )?.released ?? 0;
