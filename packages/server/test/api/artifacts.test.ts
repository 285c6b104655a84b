import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toUuid } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { keyOf } from '../../src/objects/index.ts';
import type { TestServer } from '../support/harness.ts';
import { caps, contentOf, delivered, describeArtifacts, listed, objectsOf } from './artifacts-scene.ts';
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

async function filesBelow(dir: string): Promise<string[]> {
  const found = await readdir(dir, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

/** Keys of the objects that rows are about. */
async function knownObjects(server: TestServer): Promise<string[]> {
  const { rows } = await server.pool.query('select id from artifacts where dropped is null order by id');
  return rows.map(({ id }) => keyOf('artifacts', id));
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
      expect(headers.get('cache-control')).toBe('no-store');
      const disposition = headers.get('content-disposition') as string;
      expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''[A-Za-z0-9%._~-]+$/);
      expect(disposition.match(/"/g)).toHaveLength(2);
      expect(decodeURIComponent(disposition.split("UTF-8''")[1] as string)).toBe(name);
    }
  });

  test('with names that are not text, or behind links, harm nobody', async () => {
    const command = `printf x > "$(printf 'bad\\377name')"; mkdir /tmp/out; echo secret > /tmp/out/secret; ln -s /tmp/out linked`;
    const { pair, id, status } = await delivered(server, command);
    expect(status).toBe('completed');
    expect((await listed(pair, id)).map(({ path }) => path)).toEqual(['bad\u{10feff}name']);
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
