import { type Db, rows } from './db.ts';

export interface Account {
  holder: string;
  kind: string;
}

interface Move {
  cause: string;
  from: Account;
  to: Account;
  amount: number;
}

export const platform: Account = { holder: '00000000-0000-0000-0000-000000000000', kind: 'platform_fees' };

const keyOf = ({ holder, kind }: Account) => `${holder} ${kind}`;

/** Locks the accounts and returns their balances; those that are missing are made. */
export async function lockAccounts(db: Db, accounts: Account[]): Promise<Map<string, number>> {
  const values = [accounts.map(({ holder }) => holder), accounts.map(({ kind }) => kind)];
  const lock = () =>
    rows<Account & { balance: number }>(
      db,
      'lock_accounts',
      `select holder, kind, balance from ledger_accounts
       where (holder, kind) in (select * from unnest($1::uuid[], $2::account_kind[]))
       order by holder, kind for update`,
      values,
    );
  let found = await lock();
  if (found.length < accounts.length) {
    await rows(
      db,
      'make_accounts',
      `insert into ledger_accounts (holder, kind) select * from unnest($1::uuid[], $2::account_kind[])
       on conflict do nothing`,
      values,
    );
    found = await lock();
  }
  return new Map(found.map((account) => [keyOf(account), account.balance]));
}

/** Books moves between locked accounts: the balances, and one transfer each with both balances before. */
export async function book(db: Db, balances: Map<string, number>, taskId: string, moves: Move[]): Promise<void> {
  const transfers: unknown[][] = [];
  const changed = new Map<string, Account>();
  const change = (account: Account, delta: number) => {
    const before = balances.get(keyOf(account)) ?? null;
    if (before === null) return null;
    balances.set(keyOf(account), before + delta);
    changed.set(keyOf(account), account);
    return before;
  };
  for (const { cause, from, to, amount } of moves) {
    const fromBefore = change(from, -amount);
    const toBefore = change(to, amount);
    transfers.push([cause, from.holder, from.kind, fromBefore, to.holder, to.kind, toBefore, amount]);
  }
  for (const [key, { holder, kind }] of changed) {
    await rows(db, 'set_balance', 'update ledger_accounts set balance = $3 where holder = $1 and kind = $2', [
      holder,
      kind,
      balances.get(key),
    ]);
  }
  await insertTransfers(db, taskId, transfers);
}

function insertTransfers(db: Db, taskId: string, transfers: unknown[][]): Promise<unknown[]> {
  const places = transfers.map((transfer, at) => transfer.map((_, column) => `$${at * 8 + column + 1}`).join(', '));
  const last = transfers.length * 8;
  return rows(
    db,
    `insert_transfers_${transfers.length}`,
    `insert into ledger_transfers
       (cause, from_holder, from_kind, from_before, to_holder, to_kind, to_before, amount, subject, created_at)
     values ${places.map((place) => `(${place}, $${last + 1}, $${last + 2})`).join(', ')}`,
    [...transfers.flat(), taskId, new Date()],
  );
}
