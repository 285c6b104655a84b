import { expect, test } from 'vitest';
import { databaseForFile } from '../../../test/support/database.ts';
import { urlsOfHosts } from '../urls-of-hosts.ts';
import { createPool, rows } from './db.ts';
import { isPostgresUrl, placeOfDatabase } from './hosts-of-url.ts';

const { url } = await databaseForFile();
const nowhere = '127.0.0.1:1';

test('an address of several hosts is one address for each, with all else in it', () => {
  expect(urlsOfHosts('postgres://u:p@db1:5432,db2/agora?sslmode=require')).toEqual([
    'postgres://u:p@db1:5432/agora?sslmode=require',
    'postgres://u:p@db2/agora?sslmode=require',
  ]);
  expect(placeOfDatabase('postgresql://u:p,q@db1,[::1]:5433/agora')).toBe('"agora" at db1:5432, [::1]:5433');
});

test.each([
  ['postgres://u:p@db1:5432,db2:5432/agora?target_session_attrs=read-write', true],
  ['postgres://u@db1,db2/agora?sslmode=require&target_session_attrs=primary', true],
  ['postgres://u@db1,db2:port/agora', false],
  ['postgres://u@db1,db2/agora?target_session_attrs=standby', false],
])('%s: %s', (text, isTaken) => {
  expect(isPostgresUrl(text)).toBe(isTaken);
});

test('of several hosts the pool takes one that is there and takes changes', async () => {
  const own = new URL(url);
  for (const hosts of [`${nowhere},${own.host}`, `${own.host},${nowhere}`]) {
    const pool = createPool(url.replace(`@${own.host}/`, `@${hosts}/`), () => {});
    const found = await rows<{ name: string }>(pool, 'name', 'select current_database() as name');
    expect(found).toEqual([{ name: own.pathname.slice(1) }]);
    await pool.end();
  }
});

test('where none is there the failure says what each address would have said', async () => {
  const pool = createPool(`postgres://u:p@${nowhere},${nowhere}/agora`, () => {});
  await expect(pool.query('select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await pool.end();
});
