import type { Readable } from 'node:stream';

/**
 * Where larger things lie that are written once, read whole and erased: kept repositories, artifacts. Keys are of the
 * platform's making, `<kind>/<UUIDv7>`, never of a user's text. What an object is, the database knows.
 */
export interface ObjectStore {
  readonly name: 'directory' | 's3';
  /** Whole and durable once it resolves; until then nobody sees anything of it. */
  put(key: string, content: Buffer): Promise<void>;
  /** Null where there is none. Whoever gets the stream reads it to its end or destroys it. */
  get(key: string): Promise<{ sizeBytes: number; stream: Readable } | null>;
  /** Resolves when it is gone; no such object is no error. */
  delete(key: string): Promise<void>;
  /** Keys of one kind in ascending order, and so by the time their ids were made. */
  list(kind: ObjectKind): AsyncIterable<string>;
  /** Takes away what writes left unfinished before that time. */
  tidy(before: Date): Promise<void>;
}

export type ObjectKind = 'artifacts' | 'repositories';

const keyPattern = /^(artifacts|repositories)\/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const isKey = (key: string): boolean => keyPattern.test(key);

/** Throws on what is no key: a path made of user text must not get as far as a file system. */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new RangeError('No key of an object.');
  return key;
}

export const keyOf = (kind: ObjectKind, uuid: string): string => checkKey(`${kind}/${uuid}`);

/** When the id was made, by the clock of whoever made it. */
export const madeAt = (uuid: string): Date => new Date(Number.parseInt(uuid.replace('-', '').slice(0, 12), 16));

export async function readWhole(store: ObjectStore, key: string): Promise<Buffer | null> {
  const found = await store.get(key);
  if (!found) return null;
  // As it comes into its place: to put a hundred megabytes together at the end would hold the loop.
  const whole = Buffer.allocUnsafeSlow(found.sizeBytes);
  let at = 0;
  for await (const chunk of found.stream) at += (chunk as Buffer).copy(whole, at);
  if (at < whole.length) throw new Error(`An object of ${whole.length} bytes ended after ${at}.`);
  return whole;
}
