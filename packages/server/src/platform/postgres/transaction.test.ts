import { expect, test, vi } from 'vitest';
import { databaseForFile } from '../../../test/support/database.ts';
import { afterCommit, ledgerLock, transaction } from './db.ts';

const { pool } = await databaseForFile();

test('a transaction whose connection is lost before its commit is done again', async () => {
  await pool.query('create table kept (nth int)');
  let attempts = 0;
  const made = await transaction(pool, 'write', async (tx) => {
    await tx.query('insert into kept values ($1)', [++attempts]);
    const { rows } = await tx.query('select pg_backend_pid() as pid');
    if (attempts === 1) await pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
    await tx.query('select 1');
    return attempts;
  });
  expect(made).toBe(2);
  expect((await pool.query('select nth from kept')).rows).toEqual([{ nth: 2 }]);
});

test('whoever holds the ledger alone and says nothing loses it within seconds, and others go on', async () => {
  const silent = await pool.connect();
  const lost = new Promise<Error>((resolve) => silent.once('error', resolve));
  await silent.query('begin');
  await silent.query(ledgerLock);
  expect(await transaction(pool, 'ledger', async () => 'done')).toBe('done');
  expect(await lost).toMatchObject({ code: '25P03' });
  silent.release(true);
});

test('what waits for a commit is done once after it, and never without', async () => {
  const done = vi.fn();
  const made = transaction(pool, 'write', async (tx) => {
    afterCommit(tx, () => done('committed'));
    await tx.query('select 1');
    expect(done).not.toHaveBeenCalled();
  });
  await made;
  const undone = transaction(pool, 'write', async (tx) => {
    afterCommit(tx, () => done('undone'));
    throw new Error('no');
  });
  await expect(undone).rejects.toThrow('no');
  let attempts = 0;
  await transaction(pool, 'write', async (tx) => {
    afterCommit(tx, () => done(`attempt ${attempts}`));
    attempts++;
    if (attempts === 1) throw Object.assign(new Error('deadlock'), { code: '40P01' });
  });
  expect(done.mock.calls.flat()).toEqual(['committed', 'attempt 2']);
  expect(() => afterCommit(pool, done)).toThrow('No transaction is open');
});
