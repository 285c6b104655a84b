import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { madeAt, manualClock, newUuid } from '../platform/index.ts';
import { directoryStore } from './directory.ts';
import { s3Store } from './s3.ts';
import { keyOf, type ObjectStore, readWhole } from './store.ts';

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

const root = await mkdtemp(join(tmpdir(), 'agora-objects-'));
afterAll(() => rm(root, { recursive: true, force: true }));

describeStore('a directory', () => directoryStore(join(root, 'directory'), clock));

describe('an S3-compatible server', () => {
  const server = new S3rver({
    port: 0,
    silent: true,
    directory: join(root, 's3'),
    configureBuckets: [{ name: 'agora' }],
    // It signs a bucket's own path without the slash that the client sends; keys are still looked up.
    allowMismatchedSignatures: true,
  });
  let endpoint = '';
  const settings = () => ({
    bucket: 'agora',
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  });
  beforeAll(async () => {
    const { port } = (await server.run()) as AddressInfo;
    endpoint = `http://127.0.0.1:${port}`;
  });
  afterAll(() => server.close());

  describeStore('at the top of a bucket', () => s3Store({ ...settings(), prefix: '' }));
  describeStore('below a prefix', () => s3Store({ ...settings(), prefix: 'shared/' }));

  it('a bucket that is not there, or wrong credentials, stops the start by name', async () => {
    const wrong = s3Store({ ...settings(), bucket: 'missing', prefix: '' });
    await expect(wrong).rejects.toThrow(/bucket "missing" cannot be used .NoSuchBucket/);
    const credentials = { accessKeyId: 'nobody', secretAccessKey: 'wrong' };
    await expect(s3Store({ ...settings(), credentials, prefix: '' })).rejects.toThrow(/InvalidAccessKeyId/);
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
