import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { toUuid } from '@agora/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyOf } from '../../src/objects/index.ts';
import { newUuid } from '../../src/platform/index.ts';
import type { TestServer } from '../harness.ts';
import {
  day,
  goodOutput,
  hireAndStart,
  makePair,
  minute,
  type Pair,
  pass,
  refusalOf,
  serverForFile,
  startSecondApp,
} from './scene.ts';

const second = 1_000;
const hour = 60 * minute;
const caps = { ARTIFACT_MAX_COUNT: 4, ARTIFACT_MAX_BYTES: 200_000, ARTIFACT_TOTAL_BYTES: 300_000 };

/** A task whose agent has left what this command makes, and has delivered. */
async function delivered(server: TestServer, command: string, output: Record<string, unknown> = goodOutput) {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair);
  const { exitCode } = (await pair.agent.agora.sandbox.exec(id, { command: `mkdir -p output; cd output; ${command}` }))
    .data;
  expect(exitCode).toBe(0);
  const { status } = await pair.agent.agora.tasks.complete(id, { output });
  return { pair, id, status };
}

const listed = async ({ buyer, agent }: Pair, id: string, as: 'buyer' | 'agent' = 'buyer') =>
  (await { buyer, agent }[as].agora.artifacts.list(id)).data;
const contentOf = async ({ buyer }: Pair, id: string, artifactId: string) =>
  Buffer.from(await (await buyer.agora.artifacts.download(id, artifactId)).arrayBuffer());

async function objectsOf(server: TestServer): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of server.app.objects.list('artifacts')) keys.push(key);
  return keys;
}

async function filesBelow(dir: string): Promise<string[]> {
  const found = await readdir(dir, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

function describeArtifacts(server: TestServer): void {
  test('are listed by path and given out byte for byte, to both parties, with the sandbox gone', async () => {
    const command = `printf 'hello' > note.txt; mkdir deep; head -c 100000 /dev/urandom > deep/data.bin
      cat note.txt deep/data.bin | sha256sum | cut -c1-64 > ../proof; : > empty
      ln -s /etc/passwd link; ln -s note.txt inside; mkfifo pipe; cp ../proof ../code 2>/dev/null; true`;
    const { pair, id, status } = await delivered(server, command);
    expect(status).toBe('completed');
    const found = await listed(pair, id);
    expect(found.map(({ path, sizeBytes, contentType, dropped }) => [path, sizeBytes, contentType, dropped])).toEqual([
      ['deep/data.bin', 100_000, 'application/octet-stream', null],
      ['empty', 0, 'application/octet-stream', null],
      ['note.txt', 5, 'text/plain', null],
    ]);
    expect(await listed(pair, id, 'agent')).toEqual(found);
    for (const { id: artifactId, sha256, sizeBytes, expiresAt } of found) {
      const content = await contentOf(pair, id, artifactId);
      expect(content).toHaveLength(sizeBytes);
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
      expect(new Date(expiresAt).getTime() - server.clock.now().getTime()).toBe(7 * day);
    }
    expect(String(await contentOf(pair, id, found[2]!.id))).toBe('hello');
  });

  test('expire: the list is empty, and rows and bytes are gone', async () => {
    const { pair, id } = await delivered(server, 'echo one > one; echo two > two');
    const [one] = await listed(pair, id);
    const before = await objectsOf(server);
    expect(before.length).toBeGreaterThanOrEqual(2);
    await pass(server, 7 * day - second);
    expect(await listed(pair, id)).toHaveLength(2);
    server.clock.advance(second);
    // Nobody is shown what has expired, whenever the sweep comes.
    expect(await listed(pair, id)).toEqual([]);
    expect(await refusalOf(pair.buyer.agora.artifacts.download(id, one!.id))).toBe('404 ARTIFACT_NOT_FOUND');
    await server.app.sweep();
    expect(await objectsOf(server)).toEqual([]);
    const { rows } = await server.pool.query('select count(*)::int as n from artifacts');
    expect(rows[0].n).toBe(0);
  });

  test('without a row are erased, and rows without their object say that it is lost', async () => {
    const { pair, id } = await delivered(server, 'echo one > one; echo two > two');
    const stray = keyOf('artifacts', newUuid(server.clock));
    await server.app.objects.put(stray, Buffer.from('left by a crash before its row was written'));
    const [one, two] = await listed(pair, id);
    await server.app.objects.delete(keyOf('artifacts', toUuid('artifact', two!.id) as string));
    // Both may just be on their way.
    await server.app.sweep();
    expect(await objectsOf(server)).toContain(stray);
    expect((await listed(pair, id)).map(({ dropped }) => dropped)).toEqual([null, null]);
    await pass(server, hour + minute);
    expect(await objectsOf(server)).not.toContain(stray);
    expect((await listed(pair, id)).map(({ dropped }) => dropped)).toEqual([null, 'lost']);
    expect(await refusalOf(pair.buyer.agora.artifacts.download(id, two!.id))).toBe('404 ARTIFACT_NOT_FOUND');
    expect(String(await contentOf(pair, id, one!.id))).toBe('one\n');
  });
}

describe('artifacts in a directory', () => {
  const server = serverForFile({ config: caps });
  describeArtifacts(server);

  test('lie below AGORA_DATA_DIR/objects under names that say nothing, and none is left once they have expired', async () => {
    await delivered(server, 'echo x > "a name that must be no path"');
    const files = await filesBelow(join(server.dataDir, 'objects'));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(file).toMatch(/^[0-9a-f-]{36}$/);
    await pass(server, 7 * day);
    expect(await filesBelow(join(server.dataDir, 'objects'))).toEqual([]);
  });

  test('past a cap are listed with the reason, and the delivery passes all the same', async () => {
    const sizes = { a: 100, b: 200_001, c: 150_000, d: 150_000, e: 1, f: 1, g: 1 };
    const command = Object.entries(sizes).map(([name, size]) => `head -c ${size} /dev/zero > ${name}`);
    const { pair, id, status } = await delivered(server, command.join('; '));
    expect(status).toBe('completed');
    const found = await listed(pair, id);
    expect(found.map(({ path, sizeBytes, dropped }) => [path, sizeBytes, dropped])).toEqual([
      ['a', 100, null],
      ['b', 200_001, 'too_large'],
      ['c', 150_000, null],
      ['d', 150_000, 'total_too_large'],
      ['e', 1, null],
      ['f', 1, null],
      ['g', 1, 'too_many'],
    ]);
    for (const { id: artifactId, dropped, sha256 } of found) {
      expect(sha256 === null).toBe(dropped !== null);
      const refusal = await refusalOf(pair.buyer.agora.artifacts.download(id, artifactId));
      expect(refusal).toBe(dropped === null ? 'no refusal' : '404 ARTIFACT_NOT_FOUND');
    }
  });

  test('too many to be listed one by one are listed as a number', async () => {
    const { pair, id } = await delivered(server, 'i=0; while [ $i -lt 1100 ]; do : > "f$i"; i=$((i + 1)); done');
    const paths: string[] = [];
    for await (const { path } of pair.buyer.agora.artifacts.list(id, { pageSize: 100 })) paths.push(path);
    expect(paths).toHaveLength(1 + 1_004);
    expect(paths.at(-1)).toBe('… and 96 more');
  });

  test('come in pages', async () => {
    const { pair, id } = await delivered(server, 'echo 1 > a; echo 2 > b; echo 3 > c');
    const first = await pair.buyer.agora.artifacts.list(id, { pageSize: 2 });
    expect(first.data.map(({ path }) => path)).toEqual(['a', 'b']);
    const rest = await first.nextPage();
    expect(rest?.data.map(({ path }) => path)).toEqual(['c']);
    expect(rest?.hasNextPage()).toBe(false);
  });

  test('are downloaded as attachments that no browser runs, whatever their names', async () => {
    const names = ['page.html', 'zitat"; x=".svg', 'naïve 日本.js', 'line\nbreak', '..%2f..%2fup'];
    const { pair, id } = await delivered(server, 'true', goodOutput);
    expect(await listed(pair, id)).toEqual([]);
    for (const name of names) {
      const quoted = `'${name.replaceAll("'", "'\\''")}'`;
      const made = await delivered(server, `echo '<script>alert(1)</script>' > ${quoted}`);
      const [artifact] = await listed(made.pair, made.id);
      expect(artifact?.path).toBe(name);
      const { headers } = await made.pair.buyer.agora.artifacts.download(made.id, artifact!.id);
      expect(headers.get('content-type')).toBe('application/octet-stream');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
      expect(headers.get('cache-control')).toBe('private, no-store');
      const disposition = headers.get('content-disposition') as string;
      expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''[A-Za-z0-9%._~-]+$/);
      expect(disposition.match(/"/g)).toHaveLength(2);
      expect(decodeURIComponent(disposition.split("UTF-8''")[1] as string)).toBe(name);
    }
  });

  test('whose names are not text, or lie behind links, harm nobody', async () => {
    const command = `printf x > "$(printf 'bad\\377name')"; mkdir /tmp/out; echo secret > /tmp/out/secret; ln -s /tmp/out linked`;
    const { pair, id, status } = await delivered(server, command);
    expect(status).toBe('completed');
    expect((await listed(pair, id)).map(({ path }) => path)).toEqual(['bad\ufffdname']);
    const replaced = await delivered(server, 'cd ..; rmdir output; ln -s /etc output');
    expect(await listed(replaced.pair, replaced.id)).toEqual([]);
  });

  describe('who reads when', () => {
    const tries = async (pair: Pair, id: string, as: 'buyer' | 'agent') => refusalOf(listed(pair, id, as));

    test('nobody while the agent works', async () => {
      const pair = await makePair(server);
      const { id } = await hireAndStart(pair);
      await pair.agent.agora.sandbox.write(id, { path: 'output/a', content: 'x' });
      expect(await tries(pair, id, 'buyer')).toBe('409 TASK_WRONG_STATE');
      expect(await tries(pair, id, 'agent')).toBe('409 TASK_WRONG_STATE');
    });

    test('of a rejected delivery its agent alone: work that was not paid for is not given out', async () => {
      const { pair, id, status } = await delivered(server, 'echo work > a', {});
      expect(status).toBe('failed');
      const [artifact] = await listed(pair, id, 'agent');
      expect(artifact?.path).toBe('a');
      expect(await tries(pair, id, 'buyer')).toBe('409 TASK_WRONG_STATE');
      expect(await refusalOf(pair.buyer.agora.artifacts.download(id, artifact!.id))).toBe('409 TASK_WRONG_STATE');
      expect((await pair.agent.agora.artifacts.download(id, artifact!.id)).status).toBe(200);
    });

    test('of a refunded task its agent alone', async () => {
      const { pair, id } = await delivered(server, 'echo work > a');
      expect(await listed(pair, id)).toHaveLength(1);
      await pair.buyer.agora.tasks.feedback(id, { direction: 'down' });
      expect(await tries(pair, id, 'buyer')).toBe('409 TASK_WRONG_STATE');
      expect(await tries(pair, id, 'agent')).toBe('no refusal');
    });

    test('of a task that failed before a delivery nobody, and nothing is kept', async () => {
      const pair = await makePair(server);
      const { id } = await hireAndStart(pair);
      await pair.agent.agora.sandbox.write(id, { path: 'output/a', content: 'x' });
      await pair.agent.agora.tasks.fail(id, { reason: 'cannot' });
      await server.app.sweep();
      expect(await tries(pair, id, 'agent')).toBe('409 TASK_WRONG_STATE');
      expect(await objectsOf(server)).toEqual(await knownObjects(server));
    });

    test('strangers never; an artifact of another task is none of this one', async () => {
      const mine = await delivered(server, 'echo mine > a');
      const other = await delivered(server, 'echo other > a');
      const [theirs] = await listed(other.pair, other.id);
      expect(await tries(other.pair, mine.id, 'buyer')).toBe('403 NOT_A_PARTY');
      expect(await tries(other.pair, mine.id, 'agent')).toBe('403 NOT_A_PARTY');
      expect(await refusalOf(other.pair.buyer.agora.artifacts.download(mine.id, theirs!.id))).toBe('403 NOT_A_PARTY');
      const { buyer } = mine.pair;
      expect(await refusalOf(buyer.agora.artifacts.download(mine.id, theirs!.id))).toBe('404 ARTIFACT_NOT_FOUND');
      expect(await refusalOf(buyer.agora.artifacts.download(mine.id, 'art_no'))).toBe('404 ARTIFACT_NOT_FOUND');
    });
  });

  describe('while the store is away', () => {
    const partial = () => join(server.dataDir, 'objects/partial');
    const takeAway = async () => {
      await rename(partial(), `${partial()}-away`);
      await writeFile(partial(), 'in the way');
    };
    const bringBack = async () => {
      await rm(partial());
      await rename(`${partial()}-away`, partial());
    };

    test('the task completes, and the sweep stores them once it is back', async () => {
      await takeAway();
      const { pair, id, status } = await delivered(server, 'echo late > a');
      expect(status).toBe('completed');
      expect(await listed(pair, id)).toEqual([]);
      await pass(server, minute);
      expect(await listed(pair, id)).toEqual([]);
      expect(await filesBelow(join(server.dataDir, 'deliveries'))).toEqual([toUuid('task', id)]);
      await bringBack();
      await pass(server, minute);
      const [artifact] = await listed(pair, id);
      expect(String(await contentOf(pair, id, artifact!.id))).toBe('late\n');
      expect(await filesBelow(join(server.dataDir, 'deliveries'))).toEqual([]);
    });

    test('so does a server that was started meanwhile', async () => {
      await takeAway();
      const { pair, id } = await delivered(server, 'echo later > a');
      await bringBack();
      const { app } = await startSecondApp(server);
      await app.sweep();
      const [artifact] = await listed(pair, id);
      expect(String(await contentOf(pair, id, artifact!.id))).toBe('later\n');
      await app.close();
      await pass(server, minute);
      expect(await listed(pair, id)).toHaveLength(1);
      expect(await objectsOf(server)).toEqual(await knownObjects(server));
    });
  });
});

/** Keys of the objects that rows are about. */
async function knownObjects(server: TestServer): Promise<string[]> {
  const { rows } = await server.pool.query('select id from artifacts where dropped is null order by id');
  return rows.map(({ id }) => keyOf('artifacts', id));
}

describe('artifacts in a bucket', () => {
  let directory = '';
  let store: S3rver;
  const config: Record<string, unknown> = {
    ...caps,
    S3_BUCKET: 'agora',
    S3_PREFIX: 'test/',
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER',
  };
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'agora-s3-'));
    store = new S3rver({
      port: 0,
      silent: true,
      directory,
      configureBuckets: [{ name: 'agora' }],
      allowMismatchedSignatures: true,
    });
    const { port } = (await store.run()) as AddressInfo;
    // Read when the server starts, which is after this.
    config.S3_ENDPOINT = `http://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });
  describeArtifacts(serverForFile({ config }));
});
