import { expect, test } from 'vitest';
import { advisoryKeys, advisoryLock } from './advisory-locks.ts';
import { ledgerLock } from './db.ts';

test('no two advisory locks have the same key', () => {
  const keys = Object.values(advisoryKeys);
  expect(keys).toEqual([...new Set(keys)]);
  expect(ledgerLock).toBe(advisoryLock('ledger'));
});
