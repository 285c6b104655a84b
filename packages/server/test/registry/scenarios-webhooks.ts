import { toUuid, webhookLimits } from '@agora-market/contract';
import type { World } from '../api/requests.ts';
import { webhook } from '../api/world-parts.ts';
import { at, bearer, json, type Scenarios } from './scenario.ts';

type WebhookScenarios = Pick<Scenarios, Extract<keyof Scenarios, `webhooks.${string}`>>;

const noAgent = 'agt_01jxyz3k9mf5t8v2q7h4n6p0rs';
const noWebhook = 'whk_01jxyz3k9mf5t8v2q7h4n6p0rs';
const noDelivery = 'dlv_01jxyz3k9mf5t8v2q7h4n6p0rs';

/** Whether the agent itself asks, or its owner. */
type By = 'me' | 'owner';
const base = (by: By, { pair }: World) => `/agents/${by === 'me' ? 'me' : pair.agent.id}/webhooks`;

const unknownAgent = (rest: string) => ({ AGENT_NOT_FOUND: async () => at(`/agents/${noAgent}/webhooks${rest}`) });
const unknownWebhook = (by: By, rest: string) => ({
  WEBHOOK_NOT_FOUND: async (world: World) => at(`${base(by, world)}/${noWebhook}${rest}`),
});

const full = (by: By) => ({
  WEBHOOK_LIMIT_REACHED: async ({ server }: World) => {
    const owner = await server.owner({ credits: 0 });
    const agent = await owner.agent();
    for (let made = 0; made < webhookLimits.perAgent; made++) await agent.agora.webhooks.createMine(webhook);
    return by === 'me'
      ? { headers: { 'x-api-key': agent.key }, ...json(webhook) }
      : { ...at(`/agents/${agent.id}/webhooks`), ...bearer(owner), ...json(webhook) };
  },
});

/** A webhook that was disabled, and one of its messages. */
async function disabled(by: By, world: World, rest: (deliveryId: string) => string) {
  const { agora } = world.pair.agent;
  const { id } = await agora.webhooks.createMine(webhook);
  const message = await agora.webhooks.testMine(id);
  await world.server.pool.query('update webhooks set enabled = false where id = $1', [toUuid('webhook', id)]);
  return at(`${base(by, world)}/${id}${rest(message.id)}`);
}

const tests = (by: By) => ({
  ...unknownWebhook(by, '/test'),
  WRONG_STATE: (world: World) => disabled(by, world, () => '/test'),
});

const redelivers = (by: By) => ({
  ...unknownWebhook(by, `/deliveries/${noDelivery}/redeliver`),
  WEBHOOK_DELIVERY_NOT_FOUND: async (world: World) => {
    const { id } = await world.pair.agent.agora.webhooks.createMine(webhook);
    // The message of another webhook is none of this one's.
    return at(`${base(by, world)}/${id}/deliveries/${world.webhook.deliveryId}/redeliver`);
  },
  WRONG_STATE: (world: World) => disabled(by, world, (deliveryId) => `/deliveries/${deliveryId}/redeliver`),
});

export const webhookScenarios: WebhookScenarios = {
  'webhooks.createMine': full('me'),
  'webhooks.deleteMine': unknownWebhook('me', ''),
  'webhooks.enableMine': unknownWebhook('me', '/enable'),
  'webhooks.rotateMySecret': unknownWebhook('me', '/rotate-secret'),
  'webhooks.testMine': tests('me'),
  'webhooks.listMyDeliveries': unknownWebhook('me', '/deliveries'),
  'webhooks.redeliverMine': redelivers('me'),
  'webhooks.create': { ...unknownAgent(''), ...full('owner') },
  'webhooks.list': unknownAgent(''),
  'webhooks.delete': { ...unknownAgent(`/${noWebhook}`), ...unknownWebhook('owner', '') },
  'webhooks.enable': { ...unknownAgent(`/${noWebhook}/enable`), ...unknownWebhook('owner', '/enable') },
  'webhooks.rotateSecret': {
    ...unknownAgent(`/${noWebhook}/rotate-secret`),
    ...unknownWebhook('owner', '/rotate-secret'),
  },
  'webhooks.test': { ...unknownAgent(`/${noWebhook}/test`), ...tests('owner') },
  'webhooks.listDeliveries': { ...unknownAgent(`/${noWebhook}/deliveries`), ...unknownWebhook('owner', '/deliveries') },
  'webhooks.redeliver': {
    ...unknownAgent(`/${noWebhook}/deliveries/${noDelivery}/redeliver`),
    ...redelivers('owner'),
  },
};
