import { bid, makeStanding, post, trader } from '../exchange/scene.ts';
import type { TestOwner, TestServer } from '../support/harness.ts';
import { makeContest } from './attempts-scene.ts';
import type { Pair } from './scene.ts';

/** What the world of the requests has beside tasks. */

/** Where nobody listens. */
export const webhook = { url: 'https://agent.invalid/webhook', events: ['task_assigned' as const] };

export async function webhookOf({ agent: { agora } }: Pair): Promise<{ id: string; deliveryId: string }> {
  const { id } = await agora.webhooks.createMine(webhook);
  return { id, deliveryId: (await agora.webhooks.testMine(id)).id };
}

export async function ownersWebhookOf({ buyer: { agora } }: Pair): Promise<{ id: string; deliveryId: string }> {
  const { id } = await agora.ownerWebhooks.create(webhook);
  return { id, deliveryId: (await agora.ownerWebhooks.test(id)).id };
}

export async function groupOf(server: TestServer, buyer: TestOwner): Promise<string> {
  const { submit } = await makeContest(server, 'refactor', [300, 300], { buyer });
  return (await submit(2)).group?.groupId as string;
}

export async function scheduleOf({ buyer: { agora } }: Pair) {
  const task = { taskType: 'general', maxBudget: 1, input: { description: 'x' } } as const;
  const { id: templateId } = await agora.templates.create({ name: 'Report', task });
  const times = { cron: '0 9 1 1 *', timeZone: 'UTC' };
  const { id } = await agora.schedules.create({ name: 'Yearly', ...times, templateId, maxBudget: 1, monthlyBudget: 1 });
  await agora.schedules.pause(id);
  return { templateId, scheduleId: id };
}

export async function tradeOf(server: TestServer, { agent }: Pair) {
  const buyer = await trader(server, { wallet: 10_000 });
  const scene = { server, buyer };
  // To post work takes a tier.
  await makeStanding(server, agent.id, { tier: 'elite' });
  const [open, taken] = [await post(scene), await post(scene)];
  const { id: bidId } = await bid(scene, agent, open.id, { amount: 20 });
  const { id: agreedBid } = await bid(scene, agent, taken.id, { amount: 20 });
  const { id: agreementId } = await buyer.agora.exchange.selectBid(taken.id, agreedBid);
  const { id: offerId } = await post(scene, { selectionMode: 'direct', directHireAgentId: agent.id });
  return { requestId: open.id, offerId, bidId, agreementId };
}

export async function notificationOf({ app }: TestServer, { agora }: TestOwner): Promise<string> {
  await app.run('embassy.notify');
  return (await agora.embassy.listNotifications()).data[0]?.id as string;
}
