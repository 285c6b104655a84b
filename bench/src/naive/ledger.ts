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

/** Books moves between locked accounts: the balances, and two entries each with the balance before and after. */
export async function book(db: Db, balances: Map<string, number>, taskId: string, moves: Move[]): Promise<void> {
  const entries: unknown[][] = [];
  const changed = new Map<string, Account>();
  for (const { cause, from, to, amount } of moves) {
    const sides: [Account, Account, number][] = [
      [from, to, -amount],
      [to, from, amount],
    ];
    for (const [side, [account, other, delta]] of sides.entries()) {
      const before = balances.get(keyOf(account)) ?? null;
      const after = before === null ? null : before + delta;
      if (after !== null) {
        balances.set(keyOf(account), after);
        changed.set(keyOf(account), account);
      }
      entries.push([taskId, cause, side, account.holder, account.kind, delta, before, after, other.kind]);
    }
  }
  for (const [key, { holder, kind }] of changed) {
    await rows(db, 'set_balance', 'update ledger_accounts set balance = $3 where holder = $1 and kind = $2', [
      holder,
      kind,
      balances.get(key),
    ]);
  }
  await insertEntries(db, taskId, entries);
}

function insertEntries(db: Db, taskId: string, entries: unknown[][]): Promise<unknown[]> {
  const places = entries.map((_, at) => {
    const n = at * 9;
    return `($${n + 1}, $${n + 2}, $${n + 3}, $${n + 4}, $${n + 5}, $${n + 6}, $${n + 7}, $${n + 8}, $${n + 9}`;
  });
  const last = entries.length * 9;
  return rows(
    db,
    `insert_entries_${entries.length}`,
    `insert into ledger_entries
       (subject, cause, side, holder, kind, amount, balance_before, balance_after, counterparty, task_id, created_at)
     values ${places.map((place) => `${place}, $${last + 1}, $${last + 2})`).join(', ')}`,
    [...entries.flat(), taskId, new Date()],
  );
}
