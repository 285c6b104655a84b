import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { toUuid } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { newUuid, systemClock } from '../../src/platform/index.ts';
import { createArchiveStore, createSharedArchiveStore, placesOnDisk } from '../../src/tasks/index.ts';
import { day, hireAndStart, makePair, type Pair, pass, serverForFile, startSecondApp } from './scene.ts';

const maxBytes = 250_000;
const server = serverForFile({ config: { WORKSPACE_KEEP_BYTES: maxBytes } });

/** A delivery that the gate fails, with that many bytes in its workspace. */
async function rejected(bytes: number, parties: Partial<Pair> = {}) {
  const pair = { ...(await makePair(server)), ...parties };
  const acceptance = { checks: [{ name: 'fixed', command: 'test -e fixed' }] };
  const { id } = await hireAndStart(pair, { input: { description: 'Fix it', acceptance } });
  const content = randomBytes(bytes).toString('base64');
  await pair.agent.agora.sandbox.write(id, { path: 'work', content, encoding: 'base64' });
  await pair.agent.agora.tasks.complete(id, { output: { result: 'Fixed' } });
  await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).toBe('failed');
  const assessmentId = (await pair.buyer.agora.tasks.get(id)).assessmentId as string;
  const { courts } = pair.agent.agora;
  return {
    taskId: toUuid('task', id) as string,
    /** What an appeal comes to. */
    async appeal() {
      await courts.appealAssessment(assessmentId);
      await pass(server, 0);
      const status = async () => (await courts.getAssessment(assessmentId)).appeal?.status;
      await expect.poll(status).toBe('rejected');
      return (await courts.getAssessment(assessmentId)).appeal;
    },
  };
}

const archived = async () => (await readdir(join(server.dataDir, 'archives'))).sort();

test('judged workspaces that are too large together: the largest goes, and the others can still be looked into', async () => {
  const early = await rejected(1_000);
  const large = await rejected(200_000);
  await expect.poll(archived).toEqual([early.taskId, large.taskId]);
  const late = await rejected(100_000);
  await expect.poll(archived).toEqual([early.taskId, late.taskId]);
  expect(await early.appeal()).toEqual({ status: 'rejected', resultId: expect.stringMatching(/^asm_/) });
  // Nothing is left to run the check over again, so the first verdict stands.
  expect(await large.appeal()).toEqual({ status: 'rejected', resultId: null });
  // A server that starts with less room keeps to it.
  const { archives } = await placesOnDisk(server.dataDir, '', server.clock);
  await createArchiveStore(server.pool, archives, { over: async () => [], maxBytes: 50_000 });
  expect(await archived()).toEqual([early.taskId]);
});

test('what an older server kept under another name is found, beside what a newer one has kept', async () => {
  await pass(server, 2 * day);
  const older = await rejected(1_000);
  await expect.poll(archived).toEqual([older.taskId]);
  const shelf = join(server.dataDir, 'shelf');
  await rename(join(server.dataDir, 'archives'), shelf);
  await mkdir(join(server.dataDir, 'archives'));
  const newer = await rejected(1_000);
  await expect.poll(archived).toEqual([newer.taskId]);
  const { app } = await startSecondApp(server);
  await app.close();
  expect(await archived()).toEqual([older.taskId, newer.taskId]);
  expect(await readdir(server.dataDir)).not.toContain('shelf');
  expect(await older.appeal()).toEqual({ status: 'rejected', resultId: expect.stringMatching(/^asm_/) });
});

/** Many deliveries of one owner, each to or from somebody else. */
const greedy: [string, () => Promise<() => Promise<Partial<Pair>>>][] = [
  [
    'seller',
    async () => {
      const { seller } = await makePair(server);
      return async () => ({ seller, agent: await seller.agent() });
    },
  ],
  [
    'buyer',
    async () => {
      const { buyer } = await makePair(server);
      return async () => ({ buyer });
    },
  ],
];

test.each(greedy)(
  'one %s with many deliveries pushes out its own, not the larger one of somebody else',
  async (_, of) => {
    await pass(server, 2 * day);
    const parties = await of();
    const others = await rejected(100_000);
    const own = [];
    for (let count = 0; count < 4; count++) own.push((await rejected(60_000, await parties())).taskId);
    await expect.poll(archived).toEqual([others.taskId, ...own.slice(2)].sort());
    expect((await others.appeal())?.resultId).toMatch(/^asm_/);
  },
);

describe('workspaces that servers share', () => {
  /** Of tasks that nobody knows, each of ten bytes. */
  function shelf(count: number) {
    const there = new Map(Array.from({ length: count }, () => [newUuid(systemClock), 10] as [string, number]).sort());
    const asked = { lists: 0, rows: 0 };
    const place = {
      list: async () => {
        asked.lists += 1;
        return [...there];
      },
      page: async (after: string, limit: number) => {
        const found = [...there].filter(([id]) => id > after).slice(0, limit);
        asked.rows = found.length;
        return found;
      },
      size: async (id: string) => there.get(id) ?? null,
      put: () => Promise.reject(new Error('never')),
      read: async () => null,
      stream: async () => null,
      remove: async (id: string) => void there.delete(id),
    };
    return { there, asked, place };
  }

  test('are looked at by a thousand at a time, and in the end all of them', async () => {
    const { there, asked, place } = shelf(2_500);
    const [first, last] = [[...there.keys()][0] as string, [...there.keys()].at(-1) as string];
    const over = async (ids: string[]) => ids.filter((id) => id === first || id === last);
    const store = createSharedArchiveStore(server.pool, place, { maxBytes: 1e9, over });
    expect(store.taskIds()).toEqual([]);
    await store.clear(new Date());
    expect([asked.rows, there.has(first), there.has(last)]).toEqual([1_000, false, true]);
    await store.clear(new Date());
    await store.clear(new Date());
    expect([there.size, there.has(last), asked.lists]).toEqual([2_498, false, 0]);
    await store.clear(new Date());
    expect(asked.rows).toBe(1_000);
  });

  test('give way at the end of a round that found too many bytes', async () => {
    const { there, asked, place } = shelf(1_500);
    const store = createSharedArchiveStore(server.pool, place, { maxBytes: 14_990, over: async () => [] });
    await store.clear(new Date());
    expect([there.size, asked.lists]).toEqual([1_500, 0]);
    await store.clear(new Date());
    expect([there.size, asked.lists]).toEqual([1_499, 1]);
    await store.clear(new Date());
    await store.clear(new Date());
    expect([there.size, asked.lists]).toEqual([1_499, 1]);
  });
});
