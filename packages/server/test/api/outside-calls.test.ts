import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool, transaction } from '../../src/platform/index.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { callsInTransactions } from '../support/outside-calls.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, () => {});
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Nobody listens on port 2; that a call was tried is what counts. */
const nobody = 'http://127.0.0.1:2/';
const byFetch = () => fetch(nobody).catch(() => undefined);
const byHttp = () => new Promise((resolve) => request(nobody).on('error', resolve).end());

test.each([
  ['fetch', byFetch],
  ['node:http', byHttp],
])('a call by %s inside a transaction is found, one after it is not', async (_by, call) => {
  await transaction(pool, 'write', async (tx) => {
    await tx.query('select 1');
    await call();
  });
  expect(callsInTransactions()).toHaveLength(1);
  await transaction(pool, 'write', (tx) => tx.query('select 1'));
  await call();
  expect(callsInTransactions()).toEqual([]);
});
