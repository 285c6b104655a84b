import pg from 'pg';
import { searchFirst } from './client.ts';
import { functionsPrefix, type SchemaFunction, schemaOfFunctions } from './functions.ts';
import { describe, inTransaction, Refusal } from './patient-transaction.ts';
import { refuseBeside } from './releases.ts';

/** Each release has its SQL functions in a schema of its own. */

export const removal = 'The removal of earlier SQL functions';

/**
 * Makes the schema of these functions, where it is not there in full; false if it is. Those of other releases stay, for servers of
 * these may be at work, or be started again.
 */
export async function makeFunctions(client: pg.Client, functions: readonly SchemaFunction[]): Promise<boolean> {
  const names = functions.map((entry) => entry.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`The SQL function ${twice} is in the list twice.`);
  // An empty list means a caller that knows no functions.
  if (functions.length === 0) return false;
  const schema = schemaOfFunctions(functions);
  const { rows } = await client.query<{ isOurs: boolean; functions: number }>(
    `select pg_has_role(nspowner, 'USAGE') as "isOurs",
       (select count(*)::int from pg_proc where pronamespace = n.oid) as functions
     from pg_namespace n where nspname = $1`,
    [schema],
  );
  if (rows[0]?.isOurs === false) throw new Error(`The schema ${schema} belongs to somebody else. Remove it.`);
  if (rows[0]?.functions === functions.length) return false;
  await inTransaction(client, 'The SQL functions', async () => {
    await client.query(`drop schema if exists ${schema} cascade`);
    await client.query(`create schema ${schema}`).catch(explainRights);
    await searchFirst(client, schema, true);
    for (const { name, sql } of functions) {
      await client.query(sql).catch((error) => {
        throw new Error(`SQL function ${name}: ${describe(error)}`, { cause: error });
      });
    }
  });
  return true;
}

function explainRights(error: Error & { code?: string }): never {
  if (error.code !== '42501') throw error;
  throw new Refusal(
    'The user of DATABASE_URL may not make schemas, of which each release needs one. Let the owner of the database run: ' +
      'grant create on database <database> to <user>;',
  );
}

/** Removes the functions of other releases. Before each had a schema of its own, they were where the tables are. */
export async function removeOtherFunctions(client: pg.Client, functions: readonly SchemaFunction[]): Promise<void> {
  await inTransaction(client, removal, async () => {
    await refuseBeside(client, removal, { functions });
    await dropFunctions(client, schemaOfFunctions(functions));
    const { rows } = await client.query<{ signature: string }>(
      `select oid::regprocedure::text as signature from pg_proc
       where proname = any($1) and pronamespace = current_schema()::regnamespace and pg_has_role(proowner, 'USAGE')`,
      [functions.map(({ name }) => name)],
    );
    for (const { signature } of rows) await client.query(`drop function ${signature}`);
    await client.query('drop table if exists schema_functions');
  });
}

/** Drops the functions of all releases but one. */
export async function dropFunctions(client: pg.Client, kept?: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select nspname as name from pg_namespace
     where nspname ~ $1 and nspname is distinct from $2 and pg_has_role(nspowner, 'USAGE')`,
    [`^${functionsPrefix}[0-9a-f]{12}$`, kept ?? null],
  );
  for (const { name } of rows) await client.query(`drop schema ${pg.escapeIdentifier(name)} cascade`);
}
