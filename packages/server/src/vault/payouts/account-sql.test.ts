import { expect, test } from 'vitest';
import { databaseForFile } from '../../../test/support/database.ts';
import { insertOwner } from '../../../test/support/invoke.ts';
import { manualClock, transaction } from '../../platform/index.ts';
import { findAccount, type NewStatus, removeAccount, saveAccount } from './account-sql.ts';

const { pool } = await databaseForFile();
const clock = manualClock('2026-03-01T12:00:00.000Z');
const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);

async function keeper() {
  const { ownerId } = await insertOwner({ pool, clock });
  const account = { ownerId, processor: 'stripe', accountRef: `acct_${ownerId}`, instrument: 'ins_bank', missing: [] };
  const save = (fields: Pick<NewStatus, 'status' | 'askedAt'> & Partial<NewStatus>) =>
    transaction(pool, 'write', (tx) => saveAccount(tx, { ...account, ...fields }));
  const status = async () => (await findAccount(pool, ownerId, 'stripe'))?.status;
  return { ...account, save, status };
}

test('an answer that arrives after a later one does not replace it', async () => {
  const { save, status } = await keeper();
  expect(await save({ status: 'onboarding', askedAt: at(1) })).toBe('account');
  expect(await save({ status: 'ready', askedAt: at(3) })).toBe('status');
  expect(await save({ status: 'restricted', askedAt: at(2) })).toBe('nothing');
  expect(await status()).toBe('ready');
});

test('an answer that says nothing new is no change, and keeps older ones out all the same', async () => {
  const { save } = await keeper();
  await save({ status: 'ready', askedAt: at(1) });
  expect(await save({ status: 'ready', askedAt: at(3) })).toBe('nothing');
  expect(await save({ status: 'restricted', askedAt: at(2) })).toBe('nothing');
  expect(await save({ status: 'ready', askedAt: at(4), missing: ['id_number'] })).toBe('status');
});

test('another account of the owner takes the place of the first, whenever it was asked about', async () => {
  const { save, status, accountRef } = await keeper();
  await save({ status: 'ready', askedAt: at(2) });
  const other = { accountRef: `${accountRef}_new`, status: 'onboarding', askedAt: at(1) } as const;
  expect(await save(other)).toBe('account');
  expect(await removeAccount(pool, 'stripe', accountRef)).toEqual([]);
  expect(await status()).toBe('onboarding');
});

test('of answers kept at once one makes the account', async () => {
  const { save } = await keeper();
  const all = await Promise.all([1, 2, 3, 4].map(() => save({ status: 'ready', askedAt: at(1) })));
  expect(all.sort()).toEqual(['account', 'nothing', 'nothing', 'nothing']);
});
