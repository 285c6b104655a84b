import { expect, test } from 'vitest';
import { advisoryKeys } from './advisory-locks.ts';

test('no two advisory locks have the same key', () => {
  const keys = Object.values(advisoryKeys);
  expect(keys).toEqual([...new Set(keys)]);
});
