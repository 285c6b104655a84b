import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { advisoryKeys, advisoryLock } from './advisory-locks.ts';
import { DatabaseClient, searchFirst } from './client.ts';
import { functionsPrefix, type SchemaFunction, schemaOfFunctions } from './functions.ts';

export interface MigrateOptions {
  /** Directory of `0001_name.sql`, `0002_name.sql`, …; `migrationsDirectory` when absent. */
  dir?: string;
  functions?: readonly SchemaFunction[];
  /** Also takes away what only servers of earlier releases need. Then there is no way back to them. */
  contract?: boolean;
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
  /** Takes away what servers of earlier releases need; the others leave those at work. */
  contracts: boolean;
}

/** How long a migration waits for a lock, and how often it tries again after a pause: two minutes in all. */
const lockMs = 2_000;
const lockTries = 40;
const lockPauseMs = 1_000;
const lockNotAvailable = '55P03';
/** A server that has said so long ago that it lives does no more. */
const atWorkMs = 60_000;

/** `packages/server/migrations`, found from `src` and from `dist` alike. */
export const migrationsDirectory = join(packageRoot(), 'migrations');

/** Brings a database up to date. Any number of processes may do so at once: the first works, the others wait. */
export async function migrate(target: pg.Pool | string, options: MigrateOptions = {}): Promise<MigrateResult> {
  const migrations = readMigrations(options.dir ?? migrationsDirectory);
  const { functions = [], contract = false } = options;
  // A connection of its own, never a pooled one: the session lock must not stay behind in a pool.
  const settings = typeof target === 'string' ? { connectionString: target } : target.options;
  const client = new DatabaseClient(settings);
  await client.connect();
  try {
    // Every process that migrates takes its turn.
    await client.query('select pg_advisory_lock($1)', [advisoryKeys.migrations]);
    await client.query(BOOKKEEPING);
    const applied = await applyMigrations(client, migrations, contract);
    const functionsApplied = await applyFunctions(client, functions);
    if (contract && functions.length > 0) await removeOtherFunctions(client, functions);
    return { applied, functionsApplied };
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
alter table schema_migrations add column if not exists contracts boolean not null default false;`;

function readMigrations(dir: string): Migration[] {
  if (!existsSync(dir)) throw new Error(`There is no directory of migrations at ${dir}.`);
  const names = readdirSync(dir).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name, index) => {
    const [, number, contracts] = /^(\d{4})_[a-z0-9_]+(\.contract)?\.sql$/.exec(name) ?? [];
    const version = Number(number);
    if (version !== index + 1) {
      const expected = String(index + 1).padStart(4, '0');
      throw new Error(`Migrations must be numbered without gaps: expected ${expected}_<name>.sql, found ${name}.`);
    }
    // A checkout with Windows line ends is still the same migration.
    const sql = readFileSync(join(dir, name), 'utf8').replaceAll('\r\n', '\n');
    return { version, name, sql, checksum: checksumOf(sql), contracts: contracts !== undefined };
  });
}

/**
 * Migrations that contract wait, where they are the last, for `contract`: until then servers of the release before can be
 * started again. The next release applies them before its own.
 */
async function applyMigrations(client: pg.Client, migrations: Migration[], contract: boolean): Promise<string[]> {
  const { rows } = await client.query<{ version: number; name: string; checksum: string; contracts: boolean }>(
    'select version, name, checksum, contracts from schema_migrations order by version',
  );
  for (const row of rows) {
    const known = migrations[row.version - 1];
    if (!known && row.contracts) {
      throw new Error(`The database was migrated by a newer version of Agora (${row.name}); start that one.`);
    }
    if (known && known.checksum !== row.checksum) {
      throw new Error(
        `This database was made by a development version of Agora and cannot be upgraded: its migration ${row.name} ` +
          `is not the one of this release. Start with an empty database (another AGORA_DATA_DIR or DATABASE_URL), ` +
          'or go on with the version that made it.',
      );
    }
  }
  const applied = new Set(rows.map(({ version }) => version));
  const end = contract ? migrations.length : migrations.findLastIndex(({ contracts }) => !contracts) + 1;
  const pending = migrations.slice(0, end).filter(({ version }) => !applied.has(version));
  for (const migration of pending) {
    const what = `Migration ${migration.name}`;
    if (migration.contracts) await refuseBeside(client, what, 'coalesce(migration, 0) < $1', migration.version);
    await inTransaction(client, what, () => applyMigration(client, migration));
  }
  return pending.map((migration) => migration.name);
}

async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  const { version, name, sql, checksum, contracts } = migration;
  await client.query(sql);
  await client.query('insert into schema_migrations (version, name, checksum, contracts) values ($1, $2, $3, $4)', [
    ...[version, name, checksum, contracts],
  ]);
}

/** Those of other releases stay, for servers of these may be at work, or be started again. */
async function applyFunctions(client: pg.Client, functions: readonly SchemaFunction[]): Promise<boolean> {
  const names = functions.map((entry) => entry.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`The SQL function ${twice} is in the list twice.`);
  const schema = schemaOfFunctions(functions);
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema]);
  // An empty list means a caller that knows no functions.
  if (functions.length === 0 || rowCount === 1) return false;
  await inTransaction(client, 'The SQL functions', async () => {
    await client.query(`create schema ${schema}`);
    await searchFirst(client, schema, true);
    for (const { name, sql } of functions) {
      await client.query(sql).catch((error) => {
        throw new Error(`SQL function ${name}: ${describe(error)}`, { cause: error });
      });
    }
  });
  return true;
}

/** Removes the functions of other releases. Before each had a schema of its own, they were where the tables are. */
async function removeOtherFunctions(client: pg.Client, functions: readonly SchemaFunction[]): Promise<void> {
  const ours = schemaOfFunctions(functions);
  await refuseBeside(client, 'The removal of earlier SQL functions', 'functions is distinct from $1', ours);
  const schemas = await client.query<{ name: string }>(
    'select nspname as name from pg_namespace where starts_with(nspname, $1) and nspname <> $2',
    [functionsPrefix, ours],
  );
  const old = await client.query<{ signature: string }>(
    `select oid::regprocedure::text as signature from pg_proc
     where proname = any($1) and pronamespace = current_schema()::regnamespace`,
    [functions.map(({ name }) => name)],
  );
  await inTransaction(client, 'The removal of earlier SQL functions', async () => {
    for (const { name } of schemas.rows) await client.query(`drop schema ${name} cascade`);
    for (const { signature } of old.rows) await client.query(`drop function ${signature} cascade`);
    await client.query('drop table if exists schema_functions');
  });
}

/** Refuses while a server is at work that still needs what is taken away. */
async function refuseBeside(client: pg.Client, what: string, needsIt: string, value: unknown): Promise<void> {
  const { rowCount } = await client.query(
    "select from pg_attribute where attrelid = to_regclass('hosts') and attname = 'functions'",
  );
  if (rowCount === 0) return;
  const { rows } = await client.query<{ store: string; address: string | null }>(
    `select store, address from hosts
     where ended_at is null and beat_at > clock_timestamp() - interval '${atWorkMs} ms' and ${needsIt} limit 1`,
    [value],
  );
  if (rows[0] === undefined) return;
  throw new Error(
    `${what} has to wait: a server of another release, ${rows[0].address ?? `in ${rows[0].store}`}, is at work and needs what it ` +
      'takes away. Stop that server, or start it with this release, and try again a minute later.',
  );
}

/** Servers at work may hold a lock that it needs. While it waits, others wait behind it, so it waits only a little at a time. */
async function inTransaction(client: pg.Client, what: string, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    await client.query('begin');
    try {
      await client.query(`set local lock_timeout = ${lockMs}`);
      await work();
      return void (await client.query('commit'));
    } catch (error) {
      await client.query('rollback').catch(() => {});
      const isLocked = (error as { code?: string }).code === lockNotAvailable;
      if (isLocked && tries < lockTries) await sleep(lockPauseMs);
      else throw new Error(`${what} could not be applied: ${describe(error)}`, { cause: error });
    }
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
