import { setTimeout as sleep } from 'node:timers/promises';
import { Agora } from '@agora-market/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../src/platform/postgres/index.ts';
import { schemaFunctions } from '../../src/schema.ts';
import { expectSoundLedger, hire, makePair, type Pair } from '../api/scene.ts';
import { createTestDatabase } from '../support/database.ts';
import { databaseLine } from '../support/database-line.ts';
import { startDebianPair } from '../support/debian-postgres.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

/** PostgreSQL goes away under submissions of the SDK: none fails for its caller, none is stored twice. */

/** A failover takes some seconds, in which the primary is gone and the standby takes no changes. */
const awayMs = 5_000;

/** Submits all the time until `over`; resolves with the ids of the tasks. */
async function submitting({ url }: TestServer, { buyer, agent }: Pair, clients: number, over: () => boolean) {
  const agora = new Agora({ baseUrl: url, ownerToken: buyer.token });
  const ids: string[] = [];
  const client = async () => {
    while (!over()) {
      ids.push((await hire({ agent, buyer: { ...buyer, agora } })).id);
      await sleep(50);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return ids;
}

async function expectEachOnce(server: TestServer, pair: Pair, ids: string[]) {
  const stored: string[] = [];
  for await (const task of pair.buyer.agora.tasks.list({ pageSize: 100 })) stored.push(task.id);
  expect(stored.sort()).toEqual(ids.sort());
  await expectSoundLedger(server);
}

let postgres: Awaited<ReturnType<typeof startDebianPair>>;
beforeAll(async () => {
  postgres = await startDebianPair();
});
afterAll(() => postgres?.stop());

test('a primary that is killed and a standby that is promoted cost no submission', async () => {
  await migrate(postgres.url, { functions: schemaFunctions });
  const server = await startTestServer({ database: { url: postgres.url, drop: async () => {} } });
  try {
    const pair = await makePair(server, { credits: 1_000_000 });
    let isOver = false;
    const submissions = submitting(server, pair, 8, () => isOver);
    await sleep(1_000);
    await postgres.primary.stop('SIGKILL');
    await expect(pair.buyer.agora.vault.getPool()).rejects.toMatchObject({ status: 503, retryAfterSeconds: 1 });
    await sleep(awayMs);
    await postgres.promote();
    const hasPrimary = () => pair.buyer.agora.vault.getPool().then(Boolean, () => false);
    await expect.poll(hasPrimary, { timeout: 30_000 }).toBe(true);
    await sleep(1_000);
    isOver = true;
    const ids = await submissions;
    expect(ids.length).toBeGreaterThan(16);
    await expectEachOnce(server, pair, ids);
  } finally {
    await server.close();
  }
});

test('a host that falls silent is noticed within seconds, also by calls that it was working on', async () => {
  const database = await createTestDatabase();
  const line = await databaseLine(database.url);
  const server = await startTestServer({ database: { url: line.url, drop: async () => {} } });
  try {
    const pair = await makePair(server);
    line.hold();
    const began = performance.now();
    const calls = [() => pair.buyer.agora.vault.getPool(), () => hire(pair)].map((call) => call());
    for (const call of calls) await expect(call).rejects.toMatchObject({ status: 503, code: 'NOT_READY' });
    expect(performance.now() - began).toBeLessThan(20_000);
    line.letGo();
    const agora = new Agora({ baseUrl: server.url, ownerToken: pair.buyer.token });
    const { id } = await hire({ ...pair, buyer: { ...pair.buyer, agora } });
    await expectEachOnce(server, pair, [id]);
  } finally {
    await server.close();
    line.cut();
    await database.drop();
  }
});
