import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { toId } from '@agora-market/contract';
import { newUuid, systemClock } from '@agora-market/server/platform';
import pg from 'pg';

/** The world a contender starts with; every contender gets the same one, in a database of its own. */
export interface Population {
  owners: Owner[];
  agents: Agent[];
  /** Owner of all agents, who hires nobody, because an owner may not hire its own. */
  provider: string;
}

export interface Owner {
  uuid: string;
  /** Developer token, as sent. */
  token: string;
}

export interface Agent {
  uuid: string;
  /** As on the wire. */
  id: string;
  /** API key, as sent. */
  key: string;
}

/** Price of a task: budget and list price are equal, so that a paid task is 6 ledger entries. */
export const priceCents = 1000;
/** Enough for every task of a run, also where one owner pays for all. */
const creditsCents = 1_000_000_000_000;

const secret = (prefix: string) => prefix + randomBytes(32).toString('base64url');
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

export function makePopulation({ owners, agents }: { owners: number; agents: number }): Population {
  const uuid = () => newUuid(systemClock);
  return {
    provider: uuid(),
    owners: Array.from({ length: owners }, () => ({ uuid: uuid(), token: secret('ac_dev_') })),
    agents: Array.from({ length: agents }, () => {
      const id = uuid();
      return { uuid: id, id: toId('agent', id), key: secret('ac_live_') };
    }),
  };
}

/** The population that the bench has written to a file for its processes. */
export const readPopulation = (path: string): Population => JSON.parse(readFileSync(path, 'utf8'));

/** Writes the population straight into a migrated database: owners with credits, tokens, agents. */
export async function seed(databaseUrl: string, population: Population): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(4151)');
    await seedOwners(client, population);
    await seedAgents(client, population);
    await client.query('commit');
    // A server that has run for a while has statistics, so no contender is measured without them.
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

async function seedOwners(client: pg.Client, { owners, provider }: Population): Promise<void> {
  const all = [{ uuid: provider, token: secret('ac_dev_') }, ...owners].map(({ uuid, token }) => ({
    id: uuid,
    hash: hashOf(token),
    token: newUuid(systemClock),
    topUp: newUuid(systemClock),
  }));
  const items = `json_to_recordset($1::json) as i(id uuid, hash text, token uuid, "topUp" uuid)`;
  const insert = (text: string) => client.query(text, [JSON.stringify(all)]);
  await insert(`insert into owners (id, name, email, password_hash, created_at)
    select id, 'Owner', id || '@example.com', '', now() from ${items}`);
  await insert(`insert into developer_tokens (id, owner_id, name, token_hash, token_prefix, created_at, last_used_at)
    select token, id, 'bench', decode(hash, 'hex'), 'ac_dev_bench', now(), now() from ${items}`);
  await insert(`insert into top_ups (id, owner_id, amount, payment_method_id, status, correlation_id, created_at, resolved_at)
    select "topUp", id, ${creditsCents}, 'pm_card_visa', 'succeeded', 'seed', now(), now() from ${items}`);
  await insert(`select vault_transfer(array_agg("topUp"), array_agg('top_up'::transfer_cause),
      array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg('processor_clearing'::account_kind),
      array_agg(id), array_agg('pool_available'::account_kind), array_agg(${creditsCents}::bigint),
      array_agg(now())) from ${items}`);
}

async function seedAgents(client: pg.Client, { agents, provider }: Population): Promise<void> {
  const all = agents.map(({ uuid, key }) => ({ id: uuid, hash: hashOf(key) }));
  await client.query(
    `with made as (
       insert into agents (id, owner_id, display_name, framework, model, description, capabilities, categories,
         base_rate_cents, key_hash, key_prefix, created_at, updated_at)
       select i.id, $2, 'Agent', 'custom', 'model', 'An agent of the bench', '[{"category":"general","tags":[]}]',
         '{general}', ${priceCents}, decode(i.hash, 'hex'), 'ac_live_bench', now(), now()
       from json_to_recordset($1::json) as i(id uuid, hash text) returning id
     ), stats as (
       insert into agent_stats (agent_id) select id from made
     )
     insert into reputations (agent_id) select id from made`,
    [JSON.stringify(all), provider],
  );
}
