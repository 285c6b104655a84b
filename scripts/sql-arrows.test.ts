import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
// @ts-expect-error: the scripts are plain JavaScript, so that they run before anything is installed.
import { checkSqlArrows } from './sql-arrows.mjs';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agora-arrows-'));
  plant(
    'districts.cjs',
    `module.exports = {
      rows: [['platform'], ['vault'], ['tasks']],
      tables: { vault: ['ledger'], tasks: ['tasks'] },
      alsoWrites: {},
    };`,
  );
  plant('migrations/0001_first.sql', 'create table ledger (id int); create table tasks (id int);');
});

afterEach(() => rmSync(root, { recursive: true }));

function plant(path: string, text: string): void {
  const file = join(root, 'packages', 'server', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

test('a district reads its own tables and those below it, in code and in .sql files', () => {
  plant('src/tasks/sql.ts', 'export const sql = `select * from tasks t join ledger l using (id)`;');
  plant('src/tasks/steps/finish.sql', 'update tasks set id = 1 from ledger; -- insert into ledger');
  plant('src/vault/sql.ts', '// select from tasks\nexport const words = "a time from which tasks count";');
  expect(checkSqlArrows(root)).toEqual([]);
});

test('a table of a district above is a violation, also between the parts of a template', () => {
  plant(
    'src/vault/sql.ts',
    ['export const sql = (where: string) => `select 1 from tasks t where $', '{where}`;'].join(''),
  );
  expect(checkSqlArrows(root)).toEqual([
    'packages/server/src/vault/sql.ts: SQL of vault uses tasks of tasks, which is not below it',
  ]);
});

test.each(['insert into ledger values (1)', 'update ledger set id = 2', 'delete from ledger'])(
  'only its district writes a table: %s',
  (sql) => {
    plant('src/tasks/sql.ts', `export const sql = \`${sql}\`;`);
    expect(checkSqlArrows(root)).toEqual([
      'packages/server/src/tasks/sql.ts: SQL of tasks writes ledger, which only vault may',
    ]);
  },
);

test('a function of a district above is not called', () => {
  plant('src/tasks/step.ts', 'export const define = `create or replace function tasks_end(p json) returns void`;');
  plant('src/vault/sql.ts', 'export const call = `select tasks_end($1)`;');
  expect(checkSqlArrows(root)).toEqual([
    'packages/server/src/vault/sql.ts: SQL of vault calls tasks_end of tasks, which is not below it',
  ]);
});

test('a table without a district is a violation', () => {
  plant('migrations/0002_notes.sql', 'create table if not exists notes (id int);');
  expect(checkSqlArrows(root)).toEqual([
    'packages/server/districts.cjs: say which district the table notes belongs to',
  ]);
});

test('a table that a later migration drops needs none', () => {
  plant('migrations/0002_notes.sql', 'create table notes (id int);');
  plant('migrations/0003_no_notes.sql', 'drop table notes;');
  expect(checkSqlArrows(root)).toEqual([]);
});
