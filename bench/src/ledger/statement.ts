import { createPool, type Pool } from '@agora-market/server/platform';
import { transactionsPage, walletOf } from '@agora-market/server/vault/statements';
import { type Spread, spreadOf } from '../measure/results.ts';

/** How long the first page of a statement takes, by how many entries the wallet has. */
export interface StatementTimes {
  entries: number;
  /** In µs, over all pages read in all rounds. */
  micros: Spread;
}

/** The wallet with the long history comes first, so that each has its entries side by side in the table. */
const wallets = [
  { entries: 1_000_000, id: '00000000-0000-7000-8000-000000000001' },
  { entries: 1_000, id: '00000000-0000-7000-8000-000000000002' },
] as const;
const pagesARound = 400;
/** The default page size. */
const pageSize = 20;

/** Writes histories straight into the ledger, each entry a cent more: a million requests would take a minute. */
async function plantHistories(pool: Pool): Promise<void> {
  for (const { entries, id } of wallets) {
    await pool.query('set statement_timeout = 0');
    await pool.query(
      `insert into ledger_transfers
         (subject, cause, from_holder, from_kind, from_before, to_holder, to_kind, to_before, amount, created_at)
       select uuidv7(), 'allocation', uuidv7(), 'pool_available', 1, $1, 'wallet_allocated', n - 1, 1,
         timestamptz '2026-01-01' + n * interval '1 second'
       from generate_series(1, $2::int) as n`,
      [id, entries],
    );
  }
  await pool.query('vacuum analyze ledger_transfers');
}

/** Reads first pages as `GET /vault/wallet/transactions` does, of both wallets in turns. */
export async function readStatements(url: string): Promise<StatementTimes[]> {
  const pool = createPool(url, () => {}, { max: 1 });
  try {
    await plantHistories(pool);
    const times = wallets.map((): number[] => []);
    for (let page = 0; page < pagesARound; page++) {
      for (const [at, { id }] of wallets.entries()) {
        const from = performance.now();
        const { data } = await transactionsPage(pool, walletOf(id), { pageSize });
        times[at]?.push((performance.now() - from) * 1000);
        if (data.length !== pageSize) throw new Error(`a page of ${data.length} entries`);
      }
    }
    return wallets.map(({ entries }, at) => ({ entries, micros: spreadOf(times[at] ?? []) }));
  } finally {
    await pool.end();
  }
}
