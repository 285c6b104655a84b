import { toUuid, webhookLimits } from '@agora-market/contract';
import type { World } from '../api/requests.ts';
import { ownersWebhookOf, webhook, webhookOf } from '../api/world-parts.ts';
import { at, bearer, json, type Scenarios } from './scenario.ts';

type WebhookScenarios = Pick<Scenarios, Extract<keyof Scenarios, `webhooks.${string}` | `ownerWebhooks.${string}`>>;

const noAgent = 'agt_01jxyz3k9mf5t8v2q7h4n6p0rs';
const noWebhook = 'whk_01jxyz3k9mf5t8v2q7h4n6p0rs';
const noDelivery = 'dlv_01jxyz3k9mf5t8v2q7h4n6p0rs';

/** Whether the agent itself asks, its owner, or an owner about webhooks of its own. */
type By = 'me' | 'owner' | 'itself';
const base = (by: By, { pair }: World) =>
  by === 'itself' ? '/owners/me/webhooks' : `/agents/${by === 'me' ? 'me' : pair.agent.id}/webhooks`;

/** A webhook of the holder, and a message of it. */
const made = (by: By, { pair }: World) => (by === 'itself' ? ownersWebhookOf(pair) : webhookOf(pair));

const unknownAgent = (rest: string) => ({ AGENT_NOT_FOUND: async () => at(`/agents/${noAgent}/webhooks${rest}`) });
const unknownWebhook = (by: By, rest: string) => ({
  WEBHOOK_NOT_FOUND: async (world: World) => at(`${base(by, world)}/${noWebhook}${rest}`),
});

const full = (by: By) => ({
  WEBHOOK_LIMIT_REACHED: async ({ server }: World) => {
    const owner = await server.owner({ credits: 0 });
    if (by === 'itself') {
      for (let nth = 0; nth < webhookLimits.perHolder; nth++) await owner.agora.ownerWebhooks.create(webhook);
      return { ...bearer(owner), ...json(webhook) };
    }
    const agent = await owner.agent();
    for (let nth = 0; nth < webhookLimits.perHolder; nth++) await agent.agora.webhooks.createMine(webhook);
    return by === 'me'
      ? { headers: { 'x-api-key': agent.key }, ...json(webhook) }
      : { ...at(`/agents/${agent.id}/webhooks`), ...bearer(owner), ...json(webhook) };
  },
});

/** A webhook that was disabled, and one of its messages. */
async function disabled(by: By, world: World, rest: (deliveryId: string) => string) {
  const { id, deliveryId } = await made(by, world);
  await world.server.pool.query('update webhooks set enabled = false where id = $1', [toUuid('webhook', id)]);
  return at(`${base(by, world)}/${id}${rest(deliveryId)}`);
}

const tests = (by: By) => ({
  ...unknownWebhook(by, '/test'),
  WRONG_STATE: (world: World) => disabled(by, world, () => '/test'),
});

const redelivers = (by: By) => ({
  ...unknownWebhook(by, `/deliveries/${noDelivery}/redeliver`),
  WEBHOOK_DELIVERY_NOT_FOUND: async (world: World) => {
    const [{ id }, other] = [await made(by, world), await made(by, world)];
    // The message of another webhook is none of this one's.
    return at(`${base(by, world)}/${id}/deliveries/${other.deliveryId}/redeliver`);
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
  'ownerWebhooks.create': full('itself'),
  'ownerWebhooks.delete': unknownWebhook('itself', ''),
  'ownerWebhooks.enable': unknownWebhook('itself', '/enable'),
  'ownerWebhooks.rotateSecret': unknownWebhook('itself', '/rotate-secret'),
  'ownerWebhooks.test': tests('itself'),
  'ownerWebhooks.listDeliveries': unknownWebhook('itself', '/deliveries'),
  'ownerWebhooks.redeliver': redelivers('itself'),
};
