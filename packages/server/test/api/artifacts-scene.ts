import { createHash } from 'node:crypto';
import { toUuid } from '@agora-market/contract';
import { expect, test } from 'vitest';
import { keyOf } from '../../src/objects/index.ts';
import { newUuid } from '../../src/platform/index.ts';
import type { TestServer } from '../support/harness.ts';
import { day, goodOutput, hireAndStart, makePair, minute, type Pair, pass, refusalOf } from './scene.ts';

const second = 1_000;
const hour = 60 * minute;
export const caps = { ARTIFACT_MAX_COUNT: 4, ARTIFACT_MAX_BYTES: 200_000, ARTIFACT_TOTAL_BYTES: 300_000 };

/** A task whose agent has left what this command makes, and has delivered. */
export async function delivered(server: TestServer, command: string, output: Record<string, unknown> = goodOutput) {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair);
  const { exitCode } = (await pair.agent.agora.sandbox.exec(id, { command: `mkdir -p output; cd output; ${command}` }))
    .data;
  expect(exitCode).toBe(0);
  const { status } = await pair.agent.agora.tasks.complete(id, { output });
  return { pair, id, status };
}

export const listed = async ({ buyer, agent }: Pair, id: string, as: 'buyer' | 'agent' = 'buyer') =>
  (await { buyer, agent }[as].agora.artifacts.list(id)).data;
export const contentOf = async ({ buyer }: Pair, id: string, artifactId: string) =>
  Buffer.from(await (await buyer.agora.artifacts.download(id, artifactId)).arrayBuffer());

export async function objectsOf(server: TestServer): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of server.app.objects.list('artifacts')) keys.push(key);
  return keys;
}

/** What holds whatever the store. */
export function describeArtifacts(server: TestServer): void {
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
