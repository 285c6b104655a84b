import type { Agora, RequestOptions } from '@agora-market/sdk';
import { z } from 'zod';
import { wrongArgument } from '../refusal.ts';
import { defineTool, fewRows, fieldsOf, replyOf, type ToolContext } from '../tool.ts';
import { whichAgent } from './agents.ts';

const webhook = replyOf('webhooks.list').shape.data.element;
const delivery = replyOf('webhooks.listDeliveries').shape.data.element;
const { pagination } = replyOf('webhooks.list').shape;

const { webhookId, deliveryId } = fieldsOf('webhooks.redeliver');
const optional = z.object({ ...fieldsOf('webhooks.createMine'), webhookId, deliveryId }).partial().shape;

const input = z.strictObject({
  action: z.enum(['create', 'list', 'delete', 'enable', 'rotate_secret', 'test', 'list_deliveries', 'redeliver']),
  agentId: whichAgent,
  ...fieldsOf('webhooks.listMyDeliveries'),
  ...fewRows,
  ...optional,
});
type Args = z.output<typeof input>;

const output = z
  .object({
    webhook: replyOf('webhooks.create').partial({ secret: true }),
    webhooks: z.array(webhook),
    delivery,
    deliveries: z.array(delivery),
    pagination,
    deleted: z.boolean(),
  })
  .partial();
type Output = z.output<typeof output>;

export const manageWebhooks = defineTool({
  name: 'manage_webhooks',
  title: 'Manage webhooks',
  purpose:
    'Register, test and mend webhooks that tell an agent of its tasks; a secret is shown once. Without a server of your own use list_assigned_tasks.',
  effect: 'replacesEachTime',
  openWorld: true,
  uses: [
    'webhooks.create',
    'webhooks.list',
    'webhooks.delete',
    'webhooks.enable',
    'webhooks.rotateSecret',
    'webhooks.test',
    'webhooks.listDeliveries',
    'webhooks.redeliver',
    'webhooks.createMine',
    'webhooks.listMine',
    'webhooks.deleteMine',
    'webhooks.enableMine',
    'webhooks.rotateMySecret',
    'webhooks.testMine',
    'webhooks.listMyDeliveries',
    'webhooks.redeliverMine',
  ],
  input,
  output,
  async call(args, context) {
    const data = await actions[args.action](webhooksOf(args, context), args);
    return { data, text: wordsOf(args, data) };
  },
});

/** The operations of one agent's webhooks: for itself, or for its owner. */
type Webhooks = ReturnType<typeof webhooksOf>;

function webhooksOf({ agentId }: Args, { agora, options }: ToolContext) {
  if (agentId !== undefined && agora.credentials.has('owner')) return ofAgent(agora, agentId, options);
  if (agora.credentials.has('agent')) return mine(agora, options);
  throw wrongArgument('agentId', 'is needed: say whose webhooks');
}

type Registration = Parameters<Agora['webhooks']['createMine']>[0];
type PageQuery = Parameters<Agora['webhooks']['listMine']>[0];
type DeliveriesQuery = Parameters<Agora['webhooks']['listMyDeliveries']>[1];

const mine = ({ webhooks }: Agora, options: RequestOptions) => ({
  create: (body: Registration) => webhooks.createMine(body, options),
  list: (query: PageQuery) => webhooks.listMine(query, options),
  delete: (id: string) => webhooks.deleteMine(id, options),
  enable: (id: string) => webhooks.enableMine(id, options),
  rotateSecret: (id: string) => webhooks.rotateMySecret(id, options),
  test: (id: string) => webhooks.testMine(id, options),
  listDeliveries: (id: string, query: DeliveriesQuery) => webhooks.listMyDeliveries(id, query, options),
  redeliver: (id: string, message: string) => webhooks.redeliverMine(id, message, options),
});

const ofAgent = ({ webhooks }: Agora, agentId: string, options: RequestOptions): ReturnType<typeof mine> => ({
  create: (body) => webhooks.create(agentId, body, options),
  list: (query) => webhooks.list(agentId, query, options),
  delete: (id) => webhooks.delete(agentId, id, options),
  enable: (id) => webhooks.enable(agentId, id, options),
  rotateSecret: (id) => webhooks.rotateSecret(agentId, id, options),
  test: (id) => webhooks.test(agentId, id, options),
  listDeliveries: (id, query) => webhooks.listDeliveries(agentId, id, query, options),
  redeliver: (id, message) => webhooks.redeliver(agentId, id, message, options),
});

const actions: Record<Args['action'], (webhooks: Webhooks, args: Args) => Promise<Output>> = {
  create: async (webhooks, args) => ({
    webhook: await webhooks.create({ url: needed(args, 'url'), events: needed(args, 'events') }),
  }),
  async list(webhooks, { pageSize, cursor }) {
    const found = await webhooks.list({ pageSize, cursor });
    return { webhooks: found.data, pagination: found.pagination };
  },
  async delete(webhooks, args) {
    await webhooks.delete(needed(args, 'webhookId'));
    return { deleted: true };
  },
  enable: async (webhooks, args) => ({ webhook: await webhooks.enable(needed(args, 'webhookId')) }),
  rotate_secret: async (webhooks, args) => ({ webhook: await webhooks.rotateSecret(needed(args, 'webhookId')) }),
  test: async (webhooks, args) => ({ delivery: await webhooks.test(needed(args, 'webhookId')) }),
  async list_deliveries(webhooks, args) {
    const { pageSize, cursor, status } = args;
    const found = await webhooks.listDeliveries(needed(args, 'webhookId'), { pageSize, cursor, status });
    return { deliveries: found.data, pagination: found.pagination };
  },
  redeliver: async (webhooks, args) => ({
    delivery: await webhooks.redeliver(needed(args, 'webhookId'), needed(args, 'deliveryId')),
  }),
};

function needed<K extends keyof Args>(args: Args, name: K): NonNullable<Args[K]> {
  const value = args[name];
  if (value === undefined || value === null) throw wrongArgument(name, `is needed for the action ${args.action}`);
  return value;
}

function wordsOf({ action }: Args, told: Output): string {
  const { webhook: one, webhooks = [], delivery: message, deliveries = [] } = told;
  const secret =
    one?.secret === undefined ? '' : ` Its secret is shown only now; store it in a safe place: ${one.secret}`;
  const lines = [
    ...[...(one ? [one] : []), ...webhooks].map(
      ({ id, url, events, enabled }) => `- ${id} ${url}: ${events.join(', ')}${enabled ? '' : ', disabled'}`,
    ),
    ...[...(message ? [message] : []), ...deliveries].map(
      ({ id, type, status, attempts }) => `- ${id} ${type}: ${status} after ${attempts} attempts`,
    ),
    ...(told.pagination?.nextCursor ? [`More: call again with cursor "${told.pagination.nextCursor}".`] : []),
  ];
  return [`Done: ${action}.${secret}`, ...lines].join('\n');
}
