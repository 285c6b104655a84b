import type { z } from 'zod';
import { invalidField } from './api-error.ts';

/** Makes an opaque cursor of the last row's sort keys. */
export const encodeCursor = (keys: unknown): string => Buffer.from(JSON.stringify(keys)).toString('base64url');

/**
 * Decodes a cursor; null if the request has none. Callers can make up cursors, so the schema must limit every key to
 * what its column takes.
 */
export function decodeCursor<T>(cursor: string | undefined, schema: z.ZodType<T>): T | null {
  if (cursor === undefined) return null;
  let keys: unknown;
  try {
    keys = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    keys = undefined;
  }
  const result = schema.safeParse(keys);
  if (!result.success) throw invalidField('cursor', 'must be the nextCursor of an earlier page');
  return result.data;
}

/** A page of a reply, from at most `pageSize + 1` rows: the extra row only shows that there is a next page. */
export function pageOf<R, V = R>(
  found: R[],
  pageSize: number,
  cursorOf: (last: R) => unknown,
  view: (row: R) => V = (row) => row as unknown as V,
): { data: V[]; pagination: { pageSize: number; nextCursor: string | null } } {
  const shown = found.slice(0, pageSize);
  const last = shown.at(-1);
  const nextCursor = found.length > pageSize && last !== undefined ? encodeCursor(cursorOf(last)) : null;
  return { data: shown.map(view), pagination: { pageSize, nextCursor } };
}
