import { stepsLock } from '@agora-market/server';
import { createHub, createLog, createStepWriter, newUuid, type Step, systemClock } from '@agora-market/server/platform';
import pg from 'pg';
import { migrated } from '../measure/migrated.ts';
import { plainLedger, plainProof } from './plain-ledger.ts';

/** A ledger with accounts that have plenty, and a way to move a cent between two of them. */
export interface Ledger {
  accounts: string[];
  /** Resolves when the transfer is committed. `caller` counts from 0. */
  transfer(caller: number, from: string, to: string): Promise<unknown>;
  /** Fails unless exactly so many transfers were made and all is in order. */
  prove(transfers: number): Promise<void>;
  /** Clears up, so that the next contender does not pay for this one's vacuum or checkpoint. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

const log = createLog('error');
/** Enough for all transfers of a run. */
const creditsCents = 1_000_000_000_000;

async function onDatabase<R>(url: string, work: (client: pg.Client) => Promise<R>): Promise<R> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A new database in the cluster. */
export async function makeDatabase(adminUrl: string, name: string): Promise<string> {
  await onDatabase(adminUrl, (client) => client.query(`create database ${name}`));
  return adminUrl.replace(/\/[^/]*$/, `/${name}`);
}

const settle = (url: string) =>
  onDatabase(url, async (client) => {
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  });

interface MoveItem {
  id: string;
  from: string;
  to: string;
  amount: number;
  at: string;
}

/** A step as those of tasks are: JSON in, one call of `vault_transfer` for all items, an outcome for each. */
const moveStep: Step<MoveItem, { outcome: string }> = {
  name: 'bench_move',
  key: (item) => item.id,
  locks: ({ from, to }) => ({ owners: [from, to] }),
  topics: () => [],
  sql: `create function bench_move(p_items json) returns table (ord int, outcome text) language plpgsql as $$
begin
  return query
  with item as materialized (
    select i.*, row_number() over () as ord from json_to_recordset(p_items)
      as i(id uuid, "from" uuid, "to" uuid, amount bigint, at timestamptz)
  ), moved as materialized (
    select vault_transfer(array_agg(i.id order by i.ord),
      array_fill('wallet_transfer'::transfer_cause, array[count(*)::int]), array_agg(i."from" order by i.ord),
      array_fill('pool_available'::account_kind, array[count(*)::int]), array_agg(i."to" order by i.ord),
      array_fill('pool_available'::account_kind, array[count(*)::int]), array_agg(i.amount order by i.ord),
      array_agg(i.at order by i.ord))
    from item i
  )
  select i.ord::int, 'ok' from item i cross join (select count(*) from moved) m;
end $$`,
};

const agoraProof = `select (select count(*) from ledger_transfers where cause = 'wallet_transfer')::int as transfers,
  (select count(*) from (select * from ledger_accounts where kind = 'pool_available') a
   full join (select holder, sum(amount) as sum from ledger_entries where kind = 'pool_available' group by holder) e
     using (holder) where a.balance is distinct from e.sum)::int as wrong_balances,
  (select sum(amount) from ledger_entries)::int as sum`;

/** Final check of each ledger: nothing lost or invented, and as many transfers as callers were told of. */
async function prove(url: string, query: string, transfers: number): Promise<void> {
  const { rows } = await onDatabase(url, (client) => client.query(query));
  const said = JSON.stringify(rows[0]);
  if (said !== JSON.stringify({ transfers, wrong_balances: 0, sum: 0 })) {
    throw new Error(`${transfers} transfers were made, and the ledger says ${said}`);
  }
}

/** `vault_transfer` through the step writer, which commits together what waits at the same time. */
export async function openAgora(adminUrl: string, count: number): Promise<Ledger> {
  const url = await makeDatabase(adminUrl, 'bench_agora');
  await migrated(url);
  const accounts = Array.from({ length: count }, () => newUuid(systemClock));
  await onDatabase(url, async (client) => {
    await client.query(moveStep.sql);
    await client.query(
      `select vault_transfer(array_agg(id), array_agg('top_up'::transfer_cause),
         array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg('processor_clearing'::account_kind),
         array_agg(id), array_agg('pool_available'::account_kind), array_agg(${creditsCents}::bigint),
         array_agg(now())) from unnest($1::uuid[]) as id`,
      [accounts],
    );
  });
  await settle(url);
  const writer = createStepWriter(url, createHub(), log, { lock: stepsLock });
  return {
    accounts,
    transfer(_caller, from, to) {
      const at = systemClock.now().toISOString();
      return writer.write(moveStep, { id: newUuid(systemClock), from, to, amount: 1, at });
    },
    prove: (transfers) => prove(url, agoraProof, transfers),
    settle: () => settle(url),
    close: () => writer.close(),
  };
}

/** The plain ledger: a connection for each caller, and one call of a prepared statement for each transfer. */
export async function openPlain(adminUrl: string, count: number): Promise<Ledger> {
  const url = await makeDatabase(adminUrl, 'bench_plain');
  const accounts = await onDatabase(url, async (client) => {
    await client.query(plainLedger);
    const { rows } = await client.query<{ id: string }>(
      `insert into accounts (name, currency, balance, allow_negative_balance)
       select 'account ' || n, 'USD', ${creditsCents}, false from generate_series(1, ${count}) as n returning id`,
    );
    return rows.map((row) => row.id);
  });
  await settle(url);
  const clients = new Map<number, Promise<pg.Client>>();
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client;
  };
  // Connections last a turn, for PostgreSQL has not enough of them for all contenders.
  const hangUp = async () => {
    for (const client of clients.values()) await (await client).end();
    clients.clear();
  };
  return {
    accounts,
    async transfer(caller, from, to) {
      const client = clients.get(caller) ?? connect();
      clients.set(caller, client);
      const text = 'select * from create_transfer($1, $2, $3)';
      return (await client).query({ name: 'transfer', text, values: [from, to, 1] });
    },
    prove: (transfers) => prove(url, plainProof, transfers),
    settle: async () => {
      await hangUp();
      await settle(url);
    },
    close: hangUp,
  };
}
