import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { advisoryKeys, advisoryLock } from './advisory-locks.ts';
import { DatabaseClient, type DatabaseSettings } from './client.ts';
import { makeFunctions, removal, removeOtherFunctions } from './function-schemas.ts';
import type { SchemaFunction } from './functions.ts';
import { inTransaction } from './patient-transaction.ts';
import { refuseBeside } from './releases.ts';

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

/** `packages/server/migrations`, found from `src` and from `dist` alike. */
export const migrationsDirectory = join(packageRoot(), 'migrations');

/** Brings a database up to date. Any number of processes may do so at once: the first works, the others wait. */
export async function migrate(target: pg.Pool | string, options: MigrateOptions = {}): Promise<MigrateResult> {
  const migrations = readMigrations(options.dir ?? migrationsDirectory);
  const { functions = [], contract = false } = options;
  // A connection of its own, never a pooled one: the session lock must not stay behind in a pool.
  const { functions: _, ...settings }: DatabaseSettings =
    typeof target === 'string' ? { connectionString: target } : target.options;
  // A migration takes as long as the tables are large.
  const client = new DatabaseClient({ ...settings, options: '-c statement_timeout=0' });
  await client.connect();
  try {
    // Every process that migrates takes its turn.
    await client.query('select pg_advisory_lock($1)', [advisoryKeys.migrations]);
    await keepBooks(client);
    const ends = contract && functions.length > 0;
    if (ends) await inTransaction(client, removal, () => refuseBeside(client, removal, { functions }));
    const applied = await applyMigrations(client, migrations, contract);
    const functionsApplied = await makeFunctions(client, functions);
    if (ends) await removeOtherFunctions(client, functions);
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

/** The last migration without which this release cannot serve. */
export const neededMigration = (): number => beforeContraction(readMigrations(migrationsDirectory));

/** How many there are up to the last that does not contract. */
const beforeContraction = (migrations: readonly Migration[]): number =>
  migrations.findLastIndex(({ contracts }) => !contracts) + 1;

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
  contracts boolean not null default false,
  applied_at timestamptz not null default now()
);`;

/** An alteration waits for everybody who reads the table, so it is made once, to a list from before it. */
async function keepBooks(client: pg.Client): Promise<void> {
  await client.query(BOOKKEEPING);
  const { rowCount } = await client.query(
    "select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'contracts'",
  );
  if (rowCount === 1) return;
  await inTransaction(client, 'The list of migrations', () =>
    client.query('alter table schema_migrations add column contracts boolean not null default false'),
  );
}

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
  const end = contract ? migrations.length : beforeContraction(migrations);
  const pending = migrations.slice(0, end).filter(({ version }) => !applied.has(version));
  for (const migration of pending) {
    const what = `Migration ${migration.name}`;
    await inTransaction(client, what, async () => {
      if (migration.contracts) await refuseBeside(client, what, { migration: migration.version });
      await applyMigration(client, migration);
    });
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
