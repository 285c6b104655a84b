import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { advisoryKeys, advisoryLock } from './advisory-locks.ts';
import { DatabaseClient } from './client.ts';

/** A `create or replace function` that is written beside its TypeScript caller. */
export interface SchemaFunction {
  /** The SQL function's name, unique in the list. */
  name: string;
  sql: string;
}

export interface MigrateOptions {
  /** Directory of `0001_name.sql`, `0002_name.sql`, …; `migrationsDirectory` when absent. */
  dir?: string;
  functions?: readonly SchemaFunction[];
}

export interface MigrateResult {
  /** Names of the migrations applied by this call. */
  applied: string[];
  functionsApplied: boolean;
}

interface Migration {
  version: number;
  name: string;
  sql: string;
  checksum: string;
}

/** `packages/server/migrations`, found from `src` and from `dist` alike. */
export const migrationsDirectory = join(packageRoot(), 'migrations');

/** Brings a database up to date. Any number of processes may do so at once: the first works, the others wait. */
export async function migrate(target: pg.Pool | string, options: MigrateOptions = {}): Promise<MigrateResult> {
  const migrations = readMigrations(options.dir ?? migrationsDirectory);
  const functions = options.functions ?? [];
  // A connection of its own, never a pooled one: the session lock must not stay behind in a pool.
  const settings = typeof target === 'string' ? { connectionString: target } : target.options;
  const client = new DatabaseClient(settings);
  await client.connect();
  try {
    // Every process that migrates takes its turn.
    await client.query('select pg_advisory_lock($1)', [advisoryKeys.migrations]);
    await client.query(BOOKKEEPING);
    const applied = await applyMigrations(client, migrations);
    return { applied, functionsApplied: await applyFunctions(client, functions) };
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}

/** Held to the end of the caller's transaction; a server that starts meanwhile waits to migrate. */
export const lockMigrations = (client: pg.Client) => client.query(advisoryLock('migrations'));

/** Every migration of this release, the first to the last. */
export const knownMigrations = (): readonly Pick<Migration, 'name' | 'checksum'>[] =>
  readMigrations(migrationsDirectory);

/** Brings an empty schema to a migration, in the transaction of the caller. */
export async function migrateWithin(client: pg.Client, version: number): Promise<void> {
  await client.query(BOOKKEEPING);
  for (const migration of readMigrations(migrationsDirectory).slice(0, version))
    await applyMigration(client, migration);
}

const BOOKKEEPING = `
set client_min_messages = warning;
create table if not exists schema_migrations (
  version int primary key,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now()
);
create table if not exists schema_functions (
  singleton boolean primary key default true check (singleton),
  checksum text not null,
  applied_at timestamptz not null default now()
);`;

function readMigrations(dir: string): Migration[] {
  if (!existsSync(dir)) throw new Error(`There is no directory of migrations at ${dir}.`);
  const names = readdirSync(dir).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name, index) => {
    const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]);
    if (version !== index + 1) {
      const expected = String(index + 1).padStart(4, '0');
      throw new Error(`Migrations must be numbered without gaps: expected ${expected}_<name>.sql, found ${name}.`);
    }
    // A checkout with Windows line ends is still the same migration.
    const sql = readFileSync(join(dir, name), 'utf8').replaceAll('\r\n', '\n');
    return { version, name, sql, checksum: checksumOf(sql) };
  });
}

async function applyMigrations(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  const { rows } = await client.query<{ version: number; name: string; checksum: string }>(
    'select version, name, checksum from schema_migrations order by version',
  );
  for (const row of rows) {
    const known = migrations[row.version - 1];
    if (!known) {
      throw new Error(`The database was migrated by a newer version of Agora (${row.name}); start that one.`);
    }
    if (known.checksum !== row.checksum) {
      throw new Error(
        `This database was made by a development version of Agora and cannot be upgraded: its migration ${row.name} ` +
          `is not the one of this release. Start with an empty database (another AGORA_DATA_DIR or DATABASE_URL), ` +
          'or go on with the version that made it.',
      );
    }
  }
  const pending = migrations.slice(rows.length);
  for (const migration of pending) {
    await inTransaction(client, `Migration ${migration.name}`, () => applyMigration(client, migration));
  }
  return pending.map((migration) => migration.name);
}

async function applyMigration(client: pg.Client, { version, name, sql, checksum }: Migration): Promise<void> {
  await client.query(sql);
  await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
    version,
    name,
    checksum,
  ]);
}

async function applyFunctions(client: pg.Client, functions: readonly SchemaFunction[]): Promise<boolean> {
  const names = functions.map((entry) => entry.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`The SQL function ${twice} is in the list twice.`);
  const checksum = checksumOf(JSON.stringify(functions.map(({ name, sql }) => [name, sql])));
  const stored = await client.query<{ checksum: string }>('select checksum from schema_functions');
  // An empty list means a caller that knows no functions, and must not make the next start apply them again.
  if (functions.length === 0 || stored.rows[0]?.checksum === checksum) return false;
  await inTransaction(client, 'The SQL functions', async () => {
    for (const entry of functions) await applyFunction(client, entry);
    await client.query(
      `insert into schema_functions (checksum) values ($1)
       on conflict (singleton) do update set checksum = excluded.checksum, applied_at = now()`,
      [checksum],
    );
  });
  return true;
}

/**
 * `create or replace` refuses a changed result type. With changed parameters it would leave the old function beside the
 * new one. So the old function is dropped in both cases: one name, one function.
 */
async function applyFunction(client: pg.Client, { name, sql }: SchemaFunction): Promise<void> {
  const before = await signatures(client, name);
  await client.query('savepoint one_function');
  try {
    await client.query(sql);
  } catch (error) {
    const changedResult = (error as { code?: string }).code === '42P13' && before.length > 0;
    if (!changedResult) throw new Error(`SQL function ${name}: ${describe(error)}`, { cause: error });
    await client.query('rollback to savepoint one_function');
    for (const signature of before) await client.query(`drop function ${signature}`);
    await client.query(sql);
    return;
  }
  const after = await signatures(client, name);
  if (after.length <= before.length) return;
  for (const signature of before) await client.query(`drop function ${signature}`);
}

async function signatures(client: pg.Client, name: string): Promise<string[]> {
  const found = await client.query<{ signature: string }>(
    `select oid::regprocedure::text as signature from pg_proc
     where proname = $1 and pronamespace = current_schema()::regnamespace`,
    [name],
  );
  return found.rows.map((row) => row.signature);
}

async function inTransaction(client: pg.Client, what: string, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw new Error(`${what} could not be applied: ${describe(error)}`, { cause: error });
  }
}

function describe(error: unknown): string {
  const { message, position } = error as { message: string; position?: string };
  return position ? `${message} (at character ${position})` : message;
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'package.json'))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error('packages/server/package.json is missing');
    directory = parent;
  }
  return directory;
}
