import { describe, expect, onTestFinished, test } from 'vitest';
import { ownersShare, type Queryable } from '../../src/platform/index.ts';
import { claimRounds } from '../../src/webhooks/queue-sql.ts';
import { lanes, leaseMs, ownersPart } from '../../src/webhooks/schedule.ts';
import { acquainted, type Peer, shared, startPeer } from '../api/peer.ts';
import { hireAndPass, makePair, serverForFile } from '../api/scene.ts';
import { crowd, never, type Received, read, register, registerOwn, send, settled, startReceiver } from './scene.ts';

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

describe('an owner with more hanging endpoints than its share of two servers', () => {
  const { rounds } = lanes.find(({ isPrompt }) => !isPrompt)!;
  const share = ownersShare(2 * rounds, ownersPart);

  /** Claims that wait for another. */
  const waiting = async () =>
    (await server.pool.query(`select from pg_locks where locktype = 'advisory' and not granted`)).rowCount;

  async function crowded() {
    const hanging = await startReceiver();
    onTestFinished(() => hanging.close());
    hanging.answer(never);
    await crowd(server, hanging, 2 * rounds);
    return hanging;
  }

  /** The endpoint of another owner gets its message, sent by any of these servers. */
  async function another(senders: readonly Pick<Peer, 'app'>[]): Promise<void> {
    const healthy = await startReceiver();
    onTestFinished(() => healthy.close());
    const { agent } = await makePair(server, { credits: 0 });
    const { id } = await register(agent, healthy);
    await agent.agora.webhooks.testMine(id);
    await Promise.all(senders.map(send));
    await expect.poll(() => healthy.seen.length).toBe(1);
  }

  test('has one share of both, whether they take its rounds at the same moment or one takes them all', async () => {
    const peer = await startPeer(server);
    onTestFinished(() => peer.close());
    await acquainted(server);
    const first = await crowded();
    await Promise.all([send(server), send(peer)]);
    await expect.poll(() => first.seen.length).toBe(share);
    const second = await crowded();
    await send(peer);
    await expect.poll(() => second.seen.length).toBe(share);
    await another([server, peer]);
    expect([first.seen.length, second.seen.length]).toEqual([share, share]);
  });

  test('has one share also where a server counts before what another takes is stored', async () => {
    await crowded();
    const now = server.clock.now();
    const claim = (db: Queryable) =>
      claimRounds(
        db,
        { isPrompt: false },
        { now, leaseUntil: new Date(now.getTime() + leaseMs), limit: rounds, share: 10 },
      );
    const tx = await server.pool.connect();
    onTestFinished(() => tx.release(true));
    await tx.query('begin');
    const earlier = await claim(tx);
    const later = claim(server.pool);
    // It has counted, unless it waits.
    await Promise.race([later, expect.poll(waiting).toBeGreaterThan(0)]);
    await tx.query('commit');
    const ofOwners = Map.groupBy([...earlier, ...(await later)], ({ ownerId }) => ownerId);
    expect(Math.max(...[...ofOwners.values()].map(({ length }) => length))).toBe(10);
  });

  test('gets back what a server had that ended, as soon as its leases have', async () => {
    const peer = await startPeer(server);
    await acquainted(server);
    const hanging = await crowded();
    await send(peer);
    await expect.poll(() => hanging.seen.length).toBe(share);
    await peer.close();
    await acquainted(server);
    await another([server]);
    expect(hanging.seen).toHaveLength(share);
    server.clock.advance(leaseMs);
    await send(server);
    await expect.poll(() => hanging.seen.length).toBe(share + ownersShare(rounds, ownersPart));
  });
});
