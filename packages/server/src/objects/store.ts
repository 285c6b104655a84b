import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import { ApiError, inStretches, isDiskFull, slicesOf } from '../platform/index.ts';

/**
 * Stores larger objects that are written once, read as a whole and erased: kept repositories, artifacts and, in a bucket,
 * workspaces. The platform makes the keys (`<kind>/<UUIDv7>`); they never contain a user's text. The database knows what each object
 * is.
 */
export interface ObjectStore {
  /** Whether all servers reach what one puts: in a bucket. Else it is on this server's disk. */
  readonly isShared: boolean;
  /** Whole and durable once it resolves; until then nobody sees anything of it. `sha256` in hex, where the caller has it. */
  put(key: string, content: Buffer, sha256?: string): Promise<void>;
  /** Null if there is none. The caller must read the stream to its end or destroy it. */
  get(key: string): Promise<{ sizeBytes: number; stream: Readable } | null>;
  /** Resolves when it is gone; no such object is no error. */
  delete(key: string): Promise<void>;
  /** Keys of one kind in ascending order, and so by the time their ids were made. */
  list(kind: ObjectKind): AsyncIterable<string>;
  /** Removes unfinished writes from before that time. */
  tidy(before: Date): Promise<void>;
}

/** Which data directory has what this server puts; null for a bucket, which all reach. */
export const storeOf = (objects: Pick<ObjectStore, 'isShared'>, { store }: { store: string }): string | null =>
  objects.isShared ? null : store;

export type ObjectKind = 'artifacts' | 'repositories' | 'changes' | 'workspaces';

const keyPattern =
  /^(artifacts|repositories|changes|workspaces)\/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const isKey = (key: string): boolean => keyPattern.test(key);

/** Throws unless it is a key: a path with user text must not reach a file system. */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new RangeError('No key of an object.');
  return key;
}

export const keyOf = (kind: ObjectKind, uuid: string): string => checkKey(`${kind}/${uuid}`);

export async function readWhole(store: ObjectStore, key: string): Promise<Buffer | null> {
  const found = await store.get(key);
  return found && wholeOf(found);
}

export async function wholeOf({ sizeBytes, stream }: { sizeBytes: number; stream: Readable }): Promise<Buffer> {
  // As it comes into its place: to put a hundred megabytes together at the end would hold the loop.
  const whole = Buffer.allocUnsafeSlow(sizeBytes);
  let at = 0;
  for await (const chunk of stream) at += (chunk as Buffer).copy(whole, at);
  if (at < whole.length) throw cutShort(whole.length, at);
  return whole;
}

/** Of a connection that ended; it says nothing about the object. */
const cutShort = (sizeBytes: number, at: number) => new Error(`An object of ${sizeBytes} bytes ended after ${at}.`);

/** Where it lies: an object may have hundreds of megabytes, and a copy as many. */
export async function sha256Of(content: Buffer): Promise<string> {
  const hash = createHash('sha256');
  await inStretches(slicesOf([content]), (slice) => hash.update(slice));
  return hash.digest('hex');
}

/** No caller brought it about, so an agent is excused by it. */
export const storeFailed = (cause: unknown) =>
  new ApiError('NOT_READY', 'The object store cannot be reached. Nothing was changed; try again.', {}, { cause });

/** Fails for what failed. A full disk says so itself, and a wrong key is a fault of the program. */
export function failStore(error: unknown): never {
  throw isDiskFull(error) || error instanceof RangeError ? error : storeFailed(error);
}

/** The same store, whose failures callers can read. */
export const reporting = (store: ObjectStore): ObjectStore => ({
  isShared: store.isShared,
  put: (...all) => store.put(...all).catch(failStore),
  get: (key) => store.get(key).catch(failStore),
  delete: (key) => store.delete(key).catch(failStore),
  async *list(kind) {
    try {
      yield* store.list(kind);
    } catch (error) {
      failStore(error);
    }
  },
  tidy: (before) => store.tidy(before).catch(failStore),
});

/** An object is not what was put. `found` tells one damage from another. */
export class DamagedObject extends Error {
  readonly found: string;

  constructor(key: string, found: string) {
    super(`${key} is not what was put: it has ${found}.`);
    this.found = found;
  }
}

/** The content as it was put: other content fails, by its size at once, else at the end of the stream. Null if there is none. */
export async function openVerified(
  store: ObjectStore,
  key: string,
  { sizeBytes, sha256 }: { sizeBytes: number; sha256: string },
): Promise<{ sizeBytes: number; stream: Readable } | null> {
  const found = await store.get(key);
  if (found === null) return null;
  if (found.sizeBytes !== sizeBytes) {
    found.stream.destroy();
    throw new DamagedObject(key, `${found.sizeBytes} bytes`);
  }
  const hash = createHash('sha256');
  let length = 0;
  const verified = new Transform({
    transform(chunk: Buffer, _, done) {
      length += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      if (length < sizeBytes) return done(cutShort(sizeBytes, length));
      const digest = hash.digest('hex');
      done(digest === sha256 ? null : new DamagedObject(key, `the digest ${digest}`));
    },
  });
  // Its reader sees what it fails with.
  return { sizeBytes, stream: pipeline(found.stream, verified, () => undefined) };
}
