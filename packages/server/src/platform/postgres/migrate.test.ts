import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { migrate, type SchemaFunction } from './index.ts';

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

function fn(sql: string): SchemaFunction {
  return { name: 'answer', sql };
}

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

test('a database of a newer version is refused', async () => {
  writeFileSync(join(dir, '0002_newer.sql'), 'create table newer (id int);');
  await migrate(database.url, { dir });
  rmSync(join(dir, '0002_newer.sql'));
  await expect(migrate(database.url, { dir })).rejects.toThrow(/migrated by a newer version of Agora \(0002_newer/);
});

test('gaps and odd names are refused before anything is applied', async () => {
  writeFileSync(join(dir, '0003_gap.sql'), 'select 1;');
  await expect(migrate(database.url, { dir })).rejects.toThrow(/expected 0002_<name>\.sql, found 0003_gap\.sql/);
  await expect(migrate(database.url, { dir: join(dir, 'none') })).rejects.toThrow(/no directory of migrations/);
});

test('functions are applied again only when one has changed', async () => {
  const one = [fn('create or replace function answer() returns int language sql as $$ select 1 $$')];
  const two = [fn('create or replace function answer() returns int language sql as $$ select 2 $$')];
  expect((await migrate(database.url, { dir, functions: one })).functionsApplied).toBe(true);
  expect((await migrate(database.url, { dir, functions: one })).functionsApplied).toBe(false);
  expect((await migrate(database.url, { dir, functions: two })).functionsApplied).toBe(true);
  expect(await query('select answer() as it')).toEqual([{ it: 2 }]);
});

test('a function may change its result and its parameters, and leaves no second one of its name', async () => {
  const versions = [
    'create or replace function answer(a int) returns int language sql as $$ select a $$',
    "create or replace function answer(a int) returns text language sql as $$ select 'text' $$",
    "create or replace function answer(a int, b int) returns text language sql as $$ select 'two' $$",
  ];
  for (const sql of versions) await migrate(database.url, { dir, functions: [fn(sql)] });
  expect(await query("select oid::regprocedure::text as it from pg_proc where proname = 'answer'")).toEqual([
    { it: 'answer(integer,integer)' },
  ]);
});

test('a function that fails names itself and leaves all functions as they were', async () => {
  const good = {
    name: 'answer',
    sql: 'create or replace function answer() returns int language sql as $$ select 1 $$',
  };
  const changed = fn('create or replace function answer() returns int language sql as $$ select 2 $$');
  const broken = {
    name: 'broken',
    sql: 'create or replace function broken() returns int language sql as $$ select x $$',
  };
  await migrate(database.url, { dir, functions: [good] });
  await expect(migrate(database.url, { dir, functions: [changed, broken] })).rejects.toThrow(/SQL function broken: /);
  expect(await query('select answer() as it')).toEqual([{ it: 1 }]);
});

test('test files get clones of the template that do not see each other', async () => {
  const clones = await Promise.all([createTestDatabase(), createTestDatabase(), createTestDatabase()]);
  await query('create table mine (id int)', clones[0]?.url);
  expect(await query("select to_regclass('mine') as it", clones[1]?.url)).toEqual([{ it: null }]);
  await Promise.all(clones.map((clone) => clone.drop()));
});
