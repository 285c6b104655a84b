import type pg from 'pg';
import { advisoryLock } from './advisory-locks.ts';
import type { Queryable } from './db.ts';
import { type SchemaFunction, schemaOfFunctions } from './functions.ts';
import { Refusal } from './patient-transaction.ts';

/** What a server needs of the database: the migrations that it knows, and the schema of its SQL functions. */
export interface Release {
  migration: number;
  functions: string;
}

/** A server that has said so long ago that it lives does no more. */
const atWorkMs = 60_000;

/**
 * In the transaction that takes something away: refuses while a server is at work that still needs it. No server enters before
 * the end of the transaction.
 */
export async function refuseBeside(
  client: pg.Client,
  what: string,
  needed: { migration: number } | { functions: readonly SchemaFunction[] },
): Promise<void> {
  await client.query(advisoryLock('hosts'));
  const { rowCount } = await client.query(
    "select from pg_attribute where attrelid = to_regclass('hosts') and attname = 'functions'",
  );
  if (rowCount === 0) return;
  const [isNeeded, value] =
    'migration' in needed
      ? ['coalesce(migration, 0) < $1', needed.migration]
      : ['functions is distinct from $1', schemaOfFunctions(needed.functions)];
  const { rows } = await client.query<{ store: string; address: string | null }>(
    `select store, address from hosts
     where ended_at is null and beat_at > clock_timestamp() - interval '${atWorkMs} ms' and ${isNeeded} limit 1`,
    [value],
  );
  if (rows[0] === undefined) return;
  throw new Refusal(
    `${what} has to wait: a server of another release, ${rows[0].address ?? `in ${rows[0].store}`}, is at work and needs what it ` +
      'takes away. Stop that server, or start it with this release, and try again a minute later.',
  );
}

/** Refuses a server that enters after what it needs was taken away. */
export async function requireRelease(tx: Queryable, { migration, functions }: Release): Promise<void> {
  const { rows } = await tx.query<{ isThere: boolean; contraction: string | null }>(
    `select to_regnamespace($1) is not null as "isThere",
       (select name from schema_migrations where contracts and version > $2 limit 1) as contraction`,
    [functions, migration],
  );
  const { isThere, contraction } = rows[0] as (typeof rows)[0];
  if (isThere && contraction === null) return;
  throw new Error('Another release has taken away what this server needs of the database. Start that release.');
}
