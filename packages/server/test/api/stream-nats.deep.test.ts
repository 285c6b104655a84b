import { Agora } from '@agora-market/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NatsCluster, startNats } from '../support/nats.ts';
import { hire, makePair, type SecondApp, serverForFile, startSecondApp } from './scene.ts';

const server = serverForFile();
let nats: NatsCluster;
let apps: SecondApp[] = [];
beforeAll(async () => {
  nats = await startNats(1);
  const config = { ...server.config, NATS_URL: nats.url };
  apps = [await startSecondApp(server, { config }), await startSecondApp(server, { config })];
});
afterAll(async () => {
  await Promise.all(apps.map(({ app }) => app.close()));
  await nats.close();
});

const know = () => expect.poll(() => apps.map(({ app }) => app.peers())).toEqual([1, 1]);

test('with NATS a long poll at one server wakes when a task is submitted at the other, without the database', async () => {
  const [first, second] = apps as [SecondApp, SecondApp];
  await know();
  const pair = await makePair(server);
  const listening = "select pid from pg_stat_activity where datname = current_database() and query = 'listen agora'";
  // That of the server without NATS.
  expect((await server.app.pool.query(listening)).rowCount).toBeLessThanOrEqual(1);
  const polled = new Agora({ baseUrl: second.url, agentKey: pair.agent.key, maxRetries: 0 }).tasks.assigned({
    wait: 30,
  });
  await expect.poll(() => second.app.waiting()).toBe(1);
  const { id } = await hire({
    ...pair,
    buyer: { ...pair.buyer, agora: new Agora({ baseUrl: first.url, ownerToken: pair.buyer.token, maxRetries: 0 }) },
  });
  expect((await polled).data.map((task) => task.id)).toEqual([id]);
});

test('what was changed while NATS was away is seen within seconds', async () => {
  const [first, second] = apps as [SecondApp, SecondApp];
  const pair = await makePair(server);
  await nats.servers[0]?.kill();
  const polled = new Agora({ baseUrl: second.url, agentKey: pair.agent.key, maxRetries: 0 }).tasks.assigned({
    wait: 30,
  });
  await expect.poll(() => second.app.waiting()).toBe(1);
  const began = performance.now();
  const { id } = await hire({
    ...pair,
    buyer: { ...pair.buyer, agora: new Agora({ baseUrl: first.url, ownerToken: pair.buyer.token, maxRetries: 0 }) },
  });
  expect((await polled).data.map((task) => task.id)).toEqual([id]);
  // A long poll looks again at its end only; before it the hub made it look.
  expect(performance.now() - began).toBeLessThan(25_000);
  await nats.servers[0]?.start();
});
