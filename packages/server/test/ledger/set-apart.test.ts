import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { knownMigrations, migrate, migrateWithin } from '../../src/platform/postgres/index.ts';
import { schemaFunctions } from '../../src/schema.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';

/** What the migration takes for allocated where a wallet kept what its owner allocated and its agent earned in one. */

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createEmptyDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const before = knownMigrations().findIndex(({ name }) => name.endsWith('_allocations_set_apart.sql'));
  await client.query('begin');
  await migrateWithin(client, before);
  // Its functions are made by the last migration.
  await client.query('alter table agents disable trigger user');
  await client.query('commit');
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function ownerWith(agents: number): Promise<string[]> {
  const owner = randomUUID();
  await client.query(
    `insert into owners (id, name, email, password_hash, created_at) values ($1, 'O', $2, 'x', now())`,
    [owner, `${owner}@example.com`],
  );
  const ids = Array.from({ length: agents }, () => randomUUID());
  await client.query(
    `insert into agents (id, owner_id, display_name, framework, model, description, capabilities, categories, status,
       key_hash, key_prefix, created_at, updated_at)
     select id, $1, 'A', 'custom', 'm', 'd', '[]', '{general}', 'active', decode(replace(id::text, '-', ''), 'hex'),
       'ac_live_x', now(), now() from unnest($2::uuid[]) id`,
    [owner, ids],
  );
  return ids;
}

const balances = new Map<string, number>();

/** One transfer into or out of wallets, as before they kept both apart. */
async function moved(
  cause: string,
  from: string | null,
  to: string | null,
  amount: number,
  subject: string = randomUUID(),
): Promise<void> {
  const [pays, gets] = [from ?? randomUUID(), to ?? randomUUID()];
  const before = (agent: string | null) => (agent === null ? amount : (balances.get(agent) ?? 0));
  const kindOf = (agent: string | null) => (agent === null ? 'pool_available' : 'wallet_available');
  await client.query(
    `insert into ledger_transfers
       (subject, cause, from_holder, from_kind, from_before, to_holder, to_kind, to_before, amount, created_at)
     values ($9, $1, $2, $3, $4, $5, $6, $7, $8::bigint, now())`,
    [cause, pays, kindOf(from), before(from), gets, kindOf(to), before(to), amount, subject],
  );
  for (const [agent, delta] of [
    [from, -amount],
    [to, amount],
  ] as const) {
    if (agent === null) continue;
    balances.set(agent, (balances.get(agent) ?? 0) + delta);
    await client.query(
      `insert into ledger_accounts (holder, kind, balance) values ($1, 'wallet_available', $2)
       on conflict (holder, kind) do update set balance = excluded.balance`,
      [agent, balances.get(agent)],
    );
  }
}

const allocatedOf = async (agent: string) =>
  (await client.query(`select balance from ledger_accounts where holder = $1 and kind = 'wallet_allocated'`, [agent]))
    .rows[0]?.balance ?? null;

test('allocations less what was reclaimed and spent, at most the balance and what is left of all allocations', async () => {
  const [reclaimed = '', sibling = ''] = await ownerWith(2);
  await moved('allocation', null, reclaimed, 100);
  await moved('earnings_released', null, reclaimed, 50);
  await moved('reclaim', reclaimed, null, 30);
  await moved('wallet_transfer', reclaimed, sibling, 20);
  const [earner = '', heir = ''] = await ownerWith(2);
  await moved('earnings_released', null, earner, 40);
  await moved('wallet_transfer', earner, heir, 40);
  const [withdrawn = ''] = await ownerWith(1);
  await moved('allocation', null, withdrawn, 100);
  await moved('earnings_released', null, withdrawn, 50);
  await moved('withdrawal', withdrawn, null, 80);
  const [spent = ''] = await ownerWith(1);
  await moved('allocation', null, spent, 100);
  await moved('earnings_released', null, spent, 60);
  await moved('escrow_held', spent, null, 90);
  await moved('escrow_split', null, spent, 25);
  // Escrows that are open, and one that is not.
  const [buyer = ''] = await ownerWith(1);
  const [ended, first, second] = [randomUUID(), randomUUID(), randomUUID()];
  await moved('allocation', null, buyer, 100);
  await moved('earnings_released', null, buyer, 50);
  await moved('escrow_held', buyer, null, 20, ended);
  await moved('escrow_paid', null, null, 20, ended);
  await moved('escrow_held', buyer, null, 60, first);
  await moved('escrow_held', buyer, null, 60, second);
  await migrate(database.url, { functions: schemaFunctions });
  const agents = [reclaimed, sibling, earner, heir, withdrawn, spent];
  // bigint comes as text here.
  expect((await Promise.all(agents.map(allocatedOf))).map((cents) => cents && Number(cents))).toEqual([
    ...[50, 20, null, null, 70, 35],
  ]);
  const escrows = await client.query(
    'select agreement_id as id, cents::int from escrows_set_apart where agreement_id = any($1) order by cents desc',
    [[ended, first, second]],
  );
  expect(escrows.rows).toEqual([
    { id: first, cents: 60 },
    { id: second, cents: 20 },
  ]);
  // The wallets' balances are still what their entries add up to, each from where the one before it ended.
  const { rows } = await client.query(
    `select a.holder, a.kind, a.balance, e.sum, e.last from ledger_accounts a join (
       select holder, kind, sum(amount) as sum, (array_agg(balance_after order by seq desc))[1] as last
       from ledger_entries where kind::text like 'wallet%' group by holder, kind
     ) e using (holder, kind) where a.balance <> e.sum or a.balance <> e.last`,
  );
  expect(rows).toEqual([]);
});
