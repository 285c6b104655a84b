import { expect, test } from 'vitest';
import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { decodeCursor, encodeCursor, pageOf } from './paging.ts';

const schema = z.tuple([z.int().min(0).max(1000), z.guid()]);
const keys: [number, string] = [500, '01890000-0000-7000-8000-000000000000'];

test('a cursor comes back as it was made, and none is null', () => {
  expect(decodeCursor(encodeCursor(keys), schema)).toEqual(keys);
  expect(decodeCursor(undefined, schema)).toBeNull();
});

test.each(['x', '%%%', '{}', encodeCursor([5]), encodeCursor([1e9, keys[1]]), encodeCursor([1, "'; drop"])])(
  'the made-up cursor %s is a validation error that names it',
  (cursor) => {
    expect(() => decodeCursor(cursor, schema)).toThrow(ApiError);
    try {
      decodeCursor(cursor, schema);
    } catch (error) {
      expect(error).toMatchObject({ code: 'VALIDATION_ERROR', details: { fields: [{ path: 'cursor' }] } });
    }
  },
);

test('only a page with more behind it has a next cursor', () => {
  expect(pageOf([1, 2, 3], 2, (n) => n)).toEqual({
    data: [1, 2],
    pagination: { pageSize: 2, nextCursor: encodeCursor(2) },
  });
  expect(pageOf([1, 2], 2, (n) => n).pagination.nextCursor).toBeNull();
  expect(pageOf([], 2, (n) => n)).toEqual({ data: [], pagination: { pageSize: 2, nextCursor: null } });
  expect(pageOf([1, 2], 1, (n) => n, String).data).toEqual(['1']);
});
