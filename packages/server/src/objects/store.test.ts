import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { startBucket } from '../../test/support/bucket.ts';
import { madeAt, manualClock, newUuid } from '../platform/index.ts';
import { directoryStore } from './directory.ts';
import { s3Store } from './s3.ts';
import { DamagedObject, keyOf, type ObjectStore, openVerified, readWhole, sha256Of, wholeOf } from './store.ts';

const clock = manualClock('2026-11-21T12:00:00.000Z');
const fresh = () => {
  clock.advance(1);
  return newUuid(clock);
};
const all = async (keys: AsyncIterable<string>): Promise<string[]> => {
  const found: string[] = [];
  for await (const key of keys) found.push(key);
  return found;
};

/** What every store keeps to. */
function describeStore(name: string, open: () => Promise<ObjectStore>): void {
  describe(name, () => {
    let store: ObjectStore;
    beforeAll(async () => {
      store = await open();
    });

    it('gives back what was put, byte for byte, and again', async () => {
      for (const size of [0, 1, 70_000, 9_000_000]) {
        const content = randomBytes(size);
        const key = keyOf('artifacts', fresh());
        await store.put(key, content);
        expect((await readWhole(store, key))?.equals(content)).toBe(true);
        expect((await readWhole(store, key))?.equals(content)).toBe(true);
        const found = await store.get(key);
        expect(found?.sizeBytes).toBe(size);
        found?.stream.destroy();
        await store.delete(key);
      }
    });

    it('gives content only as it was put, by size and digest', async () => {
      const key = keyOf('artifacts', fresh());
      expect(await openVerified(store, key, { sizeBytes: 6, sha256: '' })).toBeNull();
      const content = randomBytes(70_000);
      const sha256 = await sha256Of(content);
      await store.put(key, content, sha256);
      const read = async (sizeBytes = content.length) => {
        const opened = await openVerified(store, key, { sizeBytes, sha256 });
        return opened && wholeOf(opened);
      };
      expect((await read())?.equals(content)).toBe(true);
      await expect(read(69_999)).rejects.toThrow(DamagedObject);
      content[1] = 255 - (content[1] ?? 0);
      await store.put(key, content);
      await expect(read()).rejects.toThrow(DamagedObject);
      await store.delete(key);
    });

    it('puts over what is there', async () => {
      const key = keyOf('artifacts', fresh());
      await store.put(key, Buffer.from('long before'));
      await store.put(key, Buffer.from('after'));
      expect(String(await readWhole(store, key))).toBe('after');
      await store.delete(key);
    });

    it('has nothing where nothing was put or what was put was deleted; deleting twice is no error', async () => {
      const key = keyOf('repositories', fresh());
      expect(await store.get(key)).toBeNull();
      await store.delete(key);
      await store.put(key, Buffer.from('x'));
      await store.delete(key);
      await store.delete(key);
      expect(await store.get(key)).toBeNull();
    });

    it('lists the keys of one kind in order, however many', async () => {
      const made: string[] = [];
      for (let count = 0; count < 25; count++) {
        clock.advance(3_600_000);
        made.push(keyOf('artifacts', fresh()));
      }
      const other = keyOf('repositories', fresh());
      await Promise.all([...made].reverse().map((key) => store.put(key, Buffer.from('x'))));
      await store.put(other, Buffer.from('x'));
      expect(await all(store.list('artifacts'))).toEqual(made);
      expect(await all(store.list('repositories'))).toEqual([other]);
      await Promise.all([...made, other].map((key) => store.delete(key)));
      expect(await all(store.list('artifacts'))).toEqual([]);
    });

    it('takes no key but its own kind, so that no user text becomes a path', async () => {
      for (const key of ['artifacts/../../etc/passwd', '../x', '/etc/passwd', 'artifacts/x', `other/${fresh()}`, '']) {
        await expect((async () => store.put(key, Buffer.from('x')))()).rejects.toThrow(RangeError);
        await expect((async () => store.get(key))()).rejects.toThrow(RangeError);
        await expect((async () => store.delete(key))()).rejects.toThrow(RangeError);
      }
    });
  });
}

test('the digest of a large object is that of all of it, and others have their turns meanwhile', async () => {
  const content = randomBytes(50_000_001);
  let isOver = false;
  const digest = sha256Of(content).finally(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns += 1) await setImmediate();
  expect(await digest).toBe(createHash('sha256').update(content).digest('hex'));
  expect(turns).toBeGreaterThan(2);
});

const root = await mkdtemp(join(tmpdir(), 'agora-objects-'));
afterAll(() => rm(root, { recursive: true, force: true }));

describeStore('a directory', () => directoryStore(join(root, 'directory'), clock));

describe('an S3-compatible server', () => {
  let bucket: Awaited<ReturnType<typeof startBucket>>;
  const settings = () => ({
    bucket: 'agora',
    endpoint: bucket.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'agora', secretAccessKey: 'secret' },
    prefix: '',
  });
  beforeAll(async () => {
    bucket = await startBucket();
  });
  afterAll(() => bucket.close());

  describeStore('at the top of a bucket', () => s3Store(settings()));
  describeStore('below a prefix', () => s3Store({ ...settings(), prefix: 'shared/' }));

  describe('that hangs', () => {
    let hanging: Server;
    const patience = { idleMs: 60_000, leastBytesPerSecond: 1e9, answerMs: 60_000 };
    const open = async (patience: { idleMs: number; leastBytesPerSecond: number; answerMs: number }) => {
      hanging = createServer((asked, answer) => {
        if (asked.method === 'GET') answer.end('<ListBucketResult/>');
      });
      await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
      const endpoint = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
      return s3Store({ ...settings(), endpoint, patience });
    };
    afterEach(() => hanging.closeAllConnections());
    afterEach(() => void hanging.close());

    it('holds up an upload until nothing of it has gone on for a while', async () => {
      const store = await open({ ...patience, idleMs: 100 });
      await expect(store.put(keyOf('artifacts', fresh()), randomBytes(70_000))).rejects.toThrow(/inactivity/);
    });

    it('holds up an upload for as long as its bytes may take', async () => {
      const store = await open({ ...patience, leastBytesPerSecond: 1_000_000, answerMs: 1 });
      await expect(store.put(keyOf('artifacts', fresh()), randomBytes(70_000))).rejects.toThrow(/abort/i);
    });
  });

  it('a bucket that is not there stops the start by name', async () => {
    const wrong = s3Store({ ...settings(), bucket: 'missing' });
    await expect(wrong).rejects.toThrow(
      /bucket "missing" at http.* cannot be used .NoSuchBucket.*Check the settings S3_/,
    );
  });

  it('credentials that the server refuses stop the start by its own word', async () => {
    const refusing = createServer((_request, response) => {
      response.writeHead(403, { 'content-type': 'application/xml' });
      response.end('<Error><Code>InvalidAccessKeyId</Code><Message>The key is not known.</Message></Error>');
    });
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
    await expect(s3Store({ ...settings(), endpoint })).rejects.toThrow(/InvalidAccessKeyId: The key is not known/);
    refusing.close();
  });
});

describe('a directory after a crash', () => {
  it('shows nothing of an unfinished write, and its remains go with time', async () => {
    const home = join(root, 'crashed');
    const store = await directoryStore(home, clock);
    const id = fresh();
    await writeFile(join(home, 'partial', id), 'half');
    await writeFile(join(home, 'partial', 'lost+found'), 'not ours');
    expect(await all(store.list('artifacts'))).toEqual([]);
    await store.tidy(madeAt(id));
    expect(await readdir(join(home, 'partial'))).toContain(id);
    await store.tidy(new Date(madeAt(id).getTime() + 1));
    expect(await readdir(join(home, 'partial'))).toEqual(['lost+found']);
  });

  it('a failed write leaves the old object and no remains', async () => {
    const home = join(root, 'full');
    const store = await directoryStore(home, clock);
    const key = keyOf('artifacts', fresh());
    await store.put(key, Buffer.from('old'));
    await expect(store.put(key, 1 as never)).rejects.toThrow();
    expect(String(await readWhole(store, key))).toBe('old');
    expect(await readdir(join(home, 'partial'))).toEqual([]);
    const [shard = ''] = await readdir(join(home, 'artifacts'));
    const [file = ''] = await readdir(join(home, 'artifacts', shard));
    expect(await readFile(join(home, 'artifacts', shard, file), 'utf8')).toBe('old');
  });
});
