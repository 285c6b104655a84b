import { expect, onTestFinished, test } from 'vitest';
import { ownersShare } from '../../src/platform/index.ts';
import { lanes, ownersPart } from '../../src/webhooks/schedule.ts';
import { hire, makePair, serverForFile } from '../api/scene.ts';
import { crowd, never, register, send, settled, startReceiver } from './scene.ts';

/** Slow and dead endpoints beside one that answers. Nothing here waits for a time-out: those that hang still hang at the end. */

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });

async function receivers(count: number) {
  const made = await Promise.all(Array.from({ length: count }, startReceiver));
  onTestFinished(async () => {
    await Promise.all(made.map(({ close }) => close()));
  });
  return made;
}

test('a dead, a hanging and a healthy endpoint of one agent: the healthy one gets its message', async () => {
  const [dead, hanging, healthy] = await receivers(3);
  await dead!.close();
  hanging!.answer(never);
  const pair = await makePair(server);
  const ids = [];
  for (const receiver of [dead, hanging, healthy]) ids.push((await register(pair.agent, receiver!)).id);
  await hire(pair);
  await send(server);
  await expect.poll(() => healthy!.seen.length).toBe(1);
  expect(await settled(server, pair.agent, ids[2]!)).toMatchObject([{ status: 'delivered' }]);
  expect(await settled(server, pair.agent, ids[0]!)).toMatchObject([{ status: 'pending', attempts: 1 }]);
  await expect.poll(() => hanging!.seen.length).toBe(1);
  expect((await pair.agent.agora.webhooks.listMyDeliveries(ids[1]!)).data).toMatchObject([{ attempts: 0 }]);
});

const { rounds } = lanes.find(({ isPrompt }) => !isPrompt)!;
const share = ownersShare(rounds, ownersPart);

test('an owner with more hanging endpoints than its share does not delay the first try at the endpoint of another', async () => {
  const [hanging, healthy] = await receivers(2);
  hanging!.answer(never);
  await crowd(server, hanging!, rounds + 10);
  await send(server);
  await expect.poll(() => hanging!.seen.length).toBe(share);
  const { agent, buyer } = await makePair(server, { credits: 0 });
  const { id } = await register(agent, healthy!);
  await agent.agora.webhooks.testMine(id);
  const own = await buyer.agora.ownerWebhooks.create({ url: healthy!.url, events: ['task_assigned'] });
  await buyer.agora.ownerWebhooks.test(own.id);
  await send(server);
  await expect.poll(() => healthy!.seen.length).toBe(2);
  expect(hanging!.seen).toHaveLength(share);
});

test('more hanging endpoints than there are places for them do not keep one that answers from its messages', async () => {
  const [hanging, healthy] = await receivers(2);
  const pair = await makePair(server);
  const { id } = await register(pair.agent, healthy!);
  await pair.agent.agora.webhooks.testMine(id);
  await send(server);
  expect(await settled(server, pair.agent, id)).toMatchObject([{ status: 'delivered' }]);
  hanging!.answer(never);
  for (let owners = 0; owners < rounds / share; owners++) await crowd(server, hanging!, share + 10);
  await send(server);
  await expect.poll(() => hanging!.seen.length).toBe(rounds);
  for (let told = 2; told < 8; told++) {
    await pair.agent.agora.webhooks.testMine(id);
    await send(server);
    await expect.poll(() => healthy!.seen.length).toBe(told);
    await settled(server, pair.agent, id);
  }
  expect(hanging!.seen).toHaveLength(rounds);
});
