import { type Call, type Queryable, type Route, route } from '../platform/index.ts';
import { requireOwnAgent } from '../registry/index.ts';
import { listWebhookDeliveries, redeliver, sendTest } from './deliveries.ts';
import type { WebhookDeps } from './deps.ts';
import { createWebhook, enableAgain, type Holder, listOwnWebhooks, removeWebhook, rotateSecret } from './manage.ts';

type OwnersCall = Pick<Call, never> & { caller: { ownerId: string }; params: { agentId: string } };

async function ownAgent(db: Queryable, { caller, params }: OwnersCall): Promise<Holder> {
  const { id } = await requireOwnAgent(db, caller.ownerId, params.agentId);
  return { agentId: id, ownerId: caller.ownerId };
}

const itself = ({ caller }: { caller: { ownerId: string } }): Holder => ({ ownerId: caller.ownerId, agentId: null });

/** The same rules for an agent about itself, and for an owner about one of its agents or about itself. */
export const webhookRoutes = (deps: WebhookDeps): Route[] => [
  route('webhooks.createMine', (call) => createWebhook(deps, call, call.caller)),
  route('webhooks.listMine', (call) => listOwnWebhooks(deps, call, call.caller)),
  route('webhooks.deleteMine', (call) => removeWebhook(call, call.caller)),
  route('webhooks.enableMine', (call) => enableAgain(call, call.caller)),
  route('webhooks.rotateMySecret', (call) => rotateSecret(deps, call, call.caller)),
  route('webhooks.testMine', (call) => sendTest(deps, call, call.caller)),
  route('webhooks.listMyDeliveries', (call) => listWebhookDeliveries(deps, call, call.caller)),
  route('webhooks.redeliverMine', (call) => redeliver(deps, call, call.caller)),
  route('webhooks.create', async (call) => createWebhook(deps, call, await ownAgent(call.tx, call))),
  route('webhooks.list', async (call) => listOwnWebhooks(deps, call, await ownAgent(deps.pool, call))),
  route('webhooks.delete', async (call) => removeWebhook(call, await ownAgent(call.tx, call))),
  route('webhooks.enable', async (call) => enableAgain(call, await ownAgent(call.tx, call))),
  route('webhooks.rotateSecret', async (call) => rotateSecret(deps, call, await ownAgent(call.tx, call))),
  route('webhooks.test', async (call) => sendTest(deps, call, await ownAgent(call.tx, call))),
  route('webhooks.listDeliveries', async (call) => listWebhookDeliveries(deps, call, await ownAgent(deps.pool, call))),
  route('webhooks.redeliver', async (call) => redeliver(deps, call, await ownAgent(call.tx, call))),
  route('ownerWebhooks.create', (call) => createWebhook(deps, call, itself(call))),
  route('ownerWebhooks.list', (call) => listOwnWebhooks(deps, call, itself(call))),
  route('ownerWebhooks.delete', (call) => removeWebhook(call, itself(call))),
  route('ownerWebhooks.enable', (call) => enableAgain(call, itself(call))),
  route('ownerWebhooks.rotateSecret', (call) => rotateSecret(deps, call, itself(call))),
  route('ownerWebhooks.test', (call) => sendTest(deps, call, itself(call))),
  route('ownerWebhooks.listDeliveries', (call) => listWebhookDeliveries(deps, call, itself(call))),
  route('ownerWebhooks.redeliver', (call) => redeliver(deps, call, itself(call))),
];
