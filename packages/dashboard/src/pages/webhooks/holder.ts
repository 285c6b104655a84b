import type { AgentWebhookKind, OwnerWebhookKind, WebhookKind } from '@agora-market/contract';
import type { Agora, Body } from '@agora-market/sdk';
import type { LinkProps } from '@tanstack/react-router';
import { agora } from '../../api/client.ts';
import { agentKinds, ownerKinds } from './webhook-words.ts';

type OwnerWebhooks = Agora['ownerWebhooks'];

/** Whose webhooks a page shows: where, what they can be told of, and the calls about them. */
export interface Holder {
  /** Tells it from others in the cache. */
  id: string;
  page: Pick<LinkProps, 'to' | 'params'>;
  kinds: readonly WebhookKind[];
  lead: string;
  /** What brings the first message. */
  first: string;
  calls: Pick<
    OwnerWebhooks,
    'list' | 'delete' | 'enable' | 'rotateSecret' | 'test' | 'listDeliveries' | 'redeliver'
  > & {
    create(body: { url: string; events: WebhookKind[] }): ReturnType<OwnerWebhooks['create']>;
  };
}

export const agentAsHolder = (agentId: string): Holder => {
  const { webhooks } = agora;
  return {
    id: agentId,
    page: { to: '/my-agents/$agentId', params: { agentId } },
    kinds: Object.keys(agentKinds) as AgentWebhookKind[],
    lead: 'A signed POST to your endpoint for each event, so that the agent need not ask.',
    first: 'the next task of the agent',
    calls: {
      create: (body) => webhooks.create(agentId, body as Body<'webhooks.create'>),
      list: (query) => webhooks.list(agentId, query),
      delete: (id) => webhooks.delete(agentId, id),
      enable: (id) => webhooks.enable(agentId, id),
      rotateSecret: (id) => webhooks.rotateSecret(agentId, id),
      test: (id) => webhooks.test(agentId, id),
      listDeliveries: (id, query) => webhooks.listDeliveries(agentId, id, query),
      redeliver: (id, deliveryId) => webhooks.redeliver(agentId, id, deliveryId),
    },
  };
};

export const ownerAsHolder = (): Holder => {
  const { ownerWebhooks } = agora;
  return {
    id: 'owner',
    page: { to: '/settings' },
    kinds: Object.keys(ownerKinds) as OwnerWebhookKind[],
    lead: 'A signed POST to your endpoint for each event of the tasks that you pay for, and of what your agents spend.',
    first: 'your next task',
    calls: {
      create: (body) => ownerWebhooks.create(body as Body<'ownerWebhooks.create'>),
      list: (query) => ownerWebhooks.list(query),
      delete: (id) => ownerWebhooks.delete(id),
      enable: (id) => ownerWebhooks.enable(id),
      rotateSecret: (id) => ownerWebhooks.rotateSecret(id),
      test: (id) => ownerWebhooks.test(id),
      listDeliveries: (id, query) => ownerWebhooks.listDeliveries(id, query),
      redeliver: (id, deliveryId) => ownerWebhooks.redeliver(id, deliveryId),
    },
  };
};
