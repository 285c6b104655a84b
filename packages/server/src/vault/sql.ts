import type { AccountKind } from '@agora/contract';
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

/** Releases due earnings in batches, each a transaction of its own; returns how many. */
export const releaseBatch = async (db: Queryable, now: Date, limit: number): Promise<number> =>
  (
    await row<{ released: number }>(db, 'vault_release', 'select vault_release_earnings($1, $2) as released', [
      now.toISOString(),
      limit,
    ])
  )?.released ?? 0;
