import { expect, onTestFinished, test } from 'vitest';
import { shared, startPeer } from '../api/peer.ts';
import { hireAndPass, makePair, serverForFile } from '../api/scene.ts';
import { type Received, read, register, registerOwn, settled, startReceiver } from './scene.ts';

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
    pairs.map(async ({ agent, buyer }) => [
      { holder: agent, hook: await register(agent, receiver), kinds: 2 },
      { holder: agent, hook: await register(agent, receiver), kinds: 2 },
      { holder: buyer, hook: await registerOwn(buyer, receiver), kinds: 4 },
    ]),
  );
  for (const { app } of [server, ...peers]) app.startJobs();
  const each = 3;
  await Promise.all(
    pairs.map(async (pair) => {
      for (let done = 0; done < each; done++) await hireAndPass(pair);
    }),
  );
  // Assigned and completed, to two webhooks of each agent; started and delivered, too, to one of each buyer.
  const expected = pairs.length * each * (2 + 2 + 4);
  await expect.poll(() => receiver.seen.length).toBe(expected);
  for (const { holder, hook, kinds } of hooks.flat()) {
    const messages = await settled(server, holder, hook.id);
    expect(messages.map(({ status, attempts }) => ({ status, attempts }))).toEqual(
      Array.from({ length: each * kinds }, () => ({ status: 'delivered', attempts: 1 })),
    );
    const own = receiver.seen.filter(({ headers }) => messages.some((one) => one.id === headers['webhook-id']));
    const numbers = await Promise.all(
      own.map(async (one: Received) => (await read(server, hook.secret, one)).sequence),
    );
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: each * kinds }, (_, nth) => nth + 1));
  }
  expect(receiver.seen).toHaveLength(expected);
});
