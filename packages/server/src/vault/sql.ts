import type { AccountKind } from '@agora-market/contract';
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
  const kinds = ['pool_available', 'pool_held', 'wallet_allocated', 'wallet_available', 'wallet_escrowed'] as const;
  for (const kind of kinds) {
    balances[kind] = found.find((account) => account.kind === kind)?.balance ?? 0;
  }
  return balances;
}

/** An owner's pool, in cents. */
export interface PoolRow {
  balance: number;
  held: number;
  /** Cents that went back to the owner's cards and must still be taken from the pool. */
  owed: number;
  /** What hires, allocations and refunds may use. */
  spendable: number;
}

export const readPool = async (db: Queryable, ownerId: string): Promise<PoolRow> =>
  (await row<PoolRow>(
    db,
    'vault_pool',
    `select balance, held, owed, greatest(balance - owed, 0) as spendable from (
       select coalesce(max(balance) filter (where kind = 'pool_available'), 0) as balance,
         coalesce(max(balance) filter (where kind = 'pool_held'), 0) as held, coalesce(max(owed), 0) as owed
       from ledger_accounts where holder = $1
     ) p`,
    [ownerId],
  )) as PoolRow;

/** Releases due earnings in batches, each a transaction of its own; returns how many. */
export const anyDue = async (db: Queryable, now: Date): Promise<boolean> =>
  (await row(db, 'vault_any_due', `select 1 from earnings where status = 'pending' and due_at <= $1 limit 1`, [
    now.toISOString(),
  ])) !== null;

export const releaseBatch = async (db: Queryable, now: Date, limit: number, payoutHoldMs: number): Promise<number> =>
  (
    await row<{ released: number }>(db, 'vault_release', 'select vault_release_earnings($1, $2, $3) as released', [
      now.toISOString(),
      limit,
      payoutHoldMs,
    ])
  )?.released ?? 0;
