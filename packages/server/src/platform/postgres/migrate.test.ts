import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createPool } from './db.ts';
import { migrate, type SchemaFunction, schemaOfFunctions } from './index.ts';
import { requireRelease } from './releases.ts';

let database: TestDatabase;
let dir: string;

beforeEach(async () => {
  database = await createEmptyDatabase();
  dir = mkdtempSync(join(tmpdir(), 'agora-migrations-'));
  writeFileSync(join(dir, '0001_first.sql'), 'create table first (id int); insert into first values (1);');
});

afterEach(async () => {
  await database.drop();
  rmSync(dir, { recursive: true, force: true });
});

async function query<Row extends pg.QueryResultRow>(sql: string, url = database.url): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

const answering = (signature: string, says: string): SchemaFunction => ({
  name: 'answer',
  sql: `create function answer() returns ${signature} language sql as $$ select ${says} $$`,
});
/** Of two releases. */
const versions = [[answering('int', '1')], [answering('text', "'text'")]];
const pair = [
  answering('int', '1'),
  { name: 'other', sql: 'create function other() returns int language sql as $$ select 2 $$' },
];

const answerIn = async (schema: string) =>
  (await query<{ it: string }>(`select ${schema}.answer()::text as it`))[0]?.it;

const functionSchemas = async () =>
  (
    await query<{ name: string }>(
      "select nspname as name from pg_namespace where starts_with(nspname, 'agora_functions_') order by 1",
    )
  ).map(({ name }) => name);

test('each migration is applied once, in order', async () => {
  writeFileSync(join(dir, '0002_second.sql'), 'alter table first add column name text;');
  expect((await migrate(database.url, { dir })).applied).toEqual(['0001_first.sql', '0002_second.sql']);
  expect((await migrate(database.url, { dir })).applied).toEqual([]);
  expect(await query('select * from first')).toEqual([{ id: 1, name: null }]);
});

test('a pool serves as the target and is left open', async () => {
  const pool = new pg.Pool({ connectionString: database.url });
  // The end of the test drops the database, perhaps before PostgreSQL has seen this connection go.
  pool.on('error', () => {});
  await migrate(pool, { dir });
  expect((await pool.query('select id from first')).rows).toEqual([{ id: 1 }]);
  await pool.end();
});

test('several processes starting at once apply a migration once', async () => {
  const runs = await Promise.all(Array.from({ length: 6 }, () => migrate(database.url, { dir })));
  expect(runs.flatMap((run) => run.applied)).toEqual(['0001_first.sql']);
  expect(await query('select id from first')).toEqual([{ id: 1 }]);
});

test('a migration that fails leaves nothing of itself and names itself', async () => {
  writeFileSync(join(dir, '0002_broken.sql'), 'create table half (id int); select nothing from nowhere;');
  await expect(migrate(database.url, { dir })).rejects.toThrow(/0002_broken\.sql could not be applied: .*nowhere/);
  expect(await query("select to_regclass('half') as half, to_regclass('first')::text as first")).toEqual([
    { half: null, first: 'first' },
  ]);
  writeFileSync(join(dir, '0002_broken.sql'), 'create table half (id int);');
  expect((await migrate(database.url, { dir })).applied).toEqual(['0002_broken.sql']);
});

test('a database whose migrations are not those of this release is refused', async () => {
  await migrate(database.url, { dir });
  writeFileSync(join(dir, '0001_first.sql'), 'create table first (id bigint);');
  await expect(migrate(database.url, { dir })).rejects.toThrow(
    /made by a development version of Agora and cannot be upgraded: .* 0001_first\.sql .* Start with an empty database/,
  );
});

test('other line ends are not a change', async () => {
  writeFileSync(join(dir, '0002_lines.sql'), 'create table lines (\n id int\n);\n');
  await migrate(database.url, { dir });
  writeFileSync(join(dir, '0002_lines.sql'), 'create table lines (\r\n id int\r\n);\r\n');
  expect((await migrate(database.url, { dir })).applied).toEqual([]);
});

test('gaps and odd names are refused before anything is applied', async () => {
  writeFileSync(join(dir, '0003_gap.sql'), 'select 1;');
  await expect(migrate(database.url, { dir })).rejects.toThrow(/expected 0002_<name>\.sql, found 0003_gap\.sql/);
  await expect(migrate(database.url, { dir: join(dir, 'none') })).rejects.toThrow(/no directory of migrations/);
});

test('each list of functions has a schema of its own, in which old and new servers find theirs', async () => {
  await migrate(database.url, { dir });
  const schemas = versions.map(schemaOfFunctions);
  for (const functions of versions) {
    expect((await migrate(database.url, { dir, functions })).functionsApplied).toBe(true);
    expect((await migrate(database.url, { dir, functions })).functionsApplied).toBe(false);
  }
  expect(await Promise.all(schemas.map((schema) => answerIn(schema)))).toEqual(['1', 'text']);
  // The order does not matter, and a list without functions makes no schema.
  expect(schemaOfFunctions([...pair].reverse())).toBe(schemaOfFunctions(pair));
  await migrate(database.url, { dir, functions: [] });
  expect(await functionSchemas()).toEqual([...schemas].sort());
});

test('a path of the database or the user is kept beside the schema of the functions', async () => {
  await query('create schema elsewhere');
  await query(`alter database ${new URL(database.url).pathname.slice(1)} set search_path = elsewhere`);
  await migrate(database.url, { dir, functions: versions[0] });
  const pool = createPool(database.url, () => {}, { functions: schemaOfFunctions(versions[0] as SchemaFunction[]) });
  expect(
    (await pool.query("select answer()::text as it, 'first'::regclass::oid = 'elsewhere.first'::regclass as same"))
      .rows,
  ).toEqual([{ it: '1', same: true }]);
  await pool.end();
});

test('a function that fails names itself and leaves nothing of its release', async () => {
  const broken = { name: 'broken', sql: 'create function broken() returns int language sql as $$ select x $$' };
  const [good = []] = versions;
  await migrate(database.url, { dir, functions: good });
  await expect(migrate(database.url, { dir, functions: [...good, broken] })).rejects.toThrow(/SQL function broken: /);
  expect(await functionSchemas()).toEqual([schemaOfFunctions(good)]);
});

test('functions that are missing in their schema are made again, and a schema of somebody else is not used', async () => {
  const [functions = []] = versions;
  const schema = schemaOfFunctions(functions);
  await migrate(database.url, { dir, functions });
  await query(`drop function ${schema}.answer()`);
  expect((await migrate(database.url, { dir, functions })).functionsApplied).toBe(true);
  expect(await answerIn(schema)).toBe('1');
  const role = `role_${process.pid}`;
  const name = new URL(database.url).pathname.slice(1);
  await query(`create role ${role} login password 'x'; grant create on database ${name} to ${role}`);
  try {
    const asAnother = new URL(database.url);
    asAnother.username = role;
    asAnother.password = 'x';
    await query(`grant all on schema public to ${role}; grant all on schema_migrations to ${role}`);
    await expect(migrate(asAnother.href, { dir, functions })).rejects.toThrow(
      `The schema ${schema} belongs to somebody else`,
    );
    await query(`revoke create on database ${name} from ${role}`);
    await expect(migrate(asAnother.href, { dir, functions: versions[1] })).rejects.toThrow(
      /^The user of DATABASE_URL may not make schemas/,
    );
  } finally {
    await query(`drop owned by ${role}; drop role ${role}`);
  }
});

describe('what takes away from earlier releases', () => {
  const server = (more: string) =>
    query(`insert into hosts (store, ended_at, beat_at, migration, functions) values ('/data', ${more})`);

  beforeEach(async () => {
    writeFileSync(join(dir, '0002_more.sql'), 'alter table first add column more int;');
    writeFileSync(
      join(dir, '0003_hosts.sql'),
      'create table hosts (store text, address text, ended_at timestamptz, beat_at timestamptz, migration int, functions text);',
    );
    writeFileSync(join(dir, '0004_less.contract.sql'), 'alter table first drop column id;');
  });

  test('waits for --contract, after which servers that do not know it are refused', async () => {
    expect((await migrate(database.url, { dir })).applied).toHaveLength(3);
    expect((await migrate(database.url, { dir })).applied).toEqual([]);
    expect((await migrate(database.url, { dir, contract: true })).applied).toEqual(['0004_less.contract.sql']);
    rmSync(join(dir, '0004_less.contract.sql'));
    await expect(migrate(database.url, { dir })).rejects.toThrow(/migrated by a newer version of Agora \(0004_less/);
  });

  test('until then a server of the release before can be started again', async () => {
    await migrate(database.url, { dir });
    for (const name of ['0002_more.sql', '0003_hosts.sql', '0004_less.contract.sql']) rmSync(join(dir, name));
    expect((await migrate(database.url, { dir })).applied).toEqual([]);
  });

  test('keeps a server that needs it from entering', async () => {
    const [functions = []] = versions;
    await migrate(database.url, { dir, functions, contract: true });
    const pool = createPool(database.url, () => {});
    const enter = (migration: number, of: string) => requireRelease(pool, { migration, functions: of });
    await enter(4, schemaOfFunctions(functions));
    await expect(enter(3, schemaOfFunctions(functions))).rejects.toThrow(/^Another release has taken away/);
    await expect(enter(4, 'agora_functions_000000000000')).rejects.toThrow(/^Another release has taken away/);
    await pool.end();
  });

  test('goes before what comes after it', async () => {
    writeFileSync(join(dir, '0005_next.sql'), 'alter table first add column next int;');
    expect((await migrate(database.url, { dir })).applied).toHaveLength(5);
  });

  test('is refused beside a server at work that needs it, and not beside others', async () => {
    await migrate(database.url, { dir });
    await server('now(), now(), 3, null');
    await server("null, now() - interval '2 minutes', 3, null");
    await server('null, now(), 3, null');
    await expect(migrate(database.url, { dir, contract: true })).rejects.toThrow(
      /^Migration 0004_less\.contract\.sql has to wait: a server of another release, in \/data, is at work/,
    );
    await query('update hosts set migration = 4');
    expect((await migrate(database.url, { dir, contract: true })).applied).toEqual(['0004_less.contract.sql']);
  });

  test('removes the functions of others, also those from before they had schemas', async () => {
    const [old = [], own = []] = versions;
    await migrate(database.url, { dir, functions: old });
    await query(
      'create function answer() returns int language sql as $$ select 0 $$; create table schema_functions ()',
    );
    await server(`null, now(), 3, '${schemaOfFunctions(old)}'`);
    await migrate(database.url, { dir, functions: own });
    await query('create schema "agora_functions_; drop table first"');
    expect(await functionSchemas()).toHaveLength(3);
    await query('update hosts set migration = 4');
    await expect(migrate(database.url, { dir, functions: own, contract: true })).rejects.toThrow(
      /^The removal of earlier SQL functions has to wait/,
    );
    await query(`update hosts set functions = '${schemaOfFunctions(own)}'`);
    await migrate(database.url, { dir, functions: own, contract: true });
    expect(new Set(await functionSchemas())).toEqual(
      new Set(['agora_functions_; drop table first', schemaOfFunctions(own)]),
    );
    expect(await query("select to_regproc('public.answer') as it, to_regclass('schema_functions') as list")).toEqual([
      { it: null, list: null },
    ]);
  });
});

test('a migration waits for a lock a little at a time, and lets others pass', async () => {
  await migrate(database.url, { dir });
  writeFileSync(join(dir, '0002_more.sql'), 'alter table first add column more int;');
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('begin; select * from first');
  const migrated = migrate(database.url, { dir });
  const waiting = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  await expect.poll(() => query(waiting)).toHaveLength(1);
  // Behind a migration that waits for long, this would wait as well.
  expect(await query('select id from first')).toEqual([{ id: 1 }]);
  await holder.query('commit');
  expect((await migrated).applied).toEqual(['0002_more.sql']);
  await holder.end();
});

test('test files get clones of the template that do not see each other', async () => {
  const clones = await Promise.all([createTestDatabase(), createTestDatabase(), createTestDatabase()]);
  await query('create table mine (id int)', clones[0]?.url);
  expect(await query("select to_regclass('mine') as it", clones[1]?.url)).toEqual([{ it: null }]);
  await Promise.all(clones.map((clone) => clone.drop()));
});
