import { expect, onTestFinished, test } from 'vitest';
import { shared, startPeer } from '../api/peer.ts';
import { hireAndPass, makePair, serverForFile } from '../api/scene.ts';
import { type Received, read, register, settled, startReceiver } from './scene.ts';

const server = serverForFile({ config: { ...shared, OUTBOUND_ALLOW_LOOPBACK: true } });

test('three servers that run their jobs on one database send each message once', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const peers = await Promise.all([startPeer(server), startPeer(server)]);
  onTestFinished(async () => {
    await Promise.all(peers.map(({ close }) => close()));
  });
  const pairs = [];
  for (let made = 0; made < 4; made++) pairs.push(await makePair(server));
  const hooks = await Promise.all(
    pairs.map(async ({ agent }) => ({
      agent,
      hook: await register(agent, receiver),
      also: await register(agent, receiver),
    })),
  );
  for (const { app } of [server, ...peers]) app.startJobs();
  const each = 3;
  await Promise.all(
    pairs.map(async (pair) => {
      for (let done = 0; done < each; done++) await hireAndPass(pair);
    }),
  );
  // Assigned and completed, to two webhooks of each agent.
  const expected = pairs.length * each * 2 * 2;
  await expect.poll(() => receiver.seen.length).toBe(expected);
  for (const { agent, hook, also } of hooks) {
    for (const { id, secret } of [hook, also]) {
      const messages = await settled(server, agent, id);
      expect(messages.map(({ status, attempts }) => ({ status, attempts }))).toEqual(
        Array.from({ length: each * 2 }, () => ({ status: 'delivered', attempts: 1 })),
      );
      const own = receiver.seen.filter(({ headers }) => messages.some((one) => one.id === headers['webhook-id']));
      const numbers = await Promise.all(own.map(async (one: Received) => (await read(server, secret, one)).sequence));
      expect(numbers.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6]);
    }
  }
  expect(receiver.seen).toHaveLength(expected);
});
