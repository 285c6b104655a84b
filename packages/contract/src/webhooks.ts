import { z } from 'zod';
import { id } from './ids.ts';
import { webhookLimits } from './limits.ts';
import { type LimitArea, operation, page, pageQuery, timestamp } from './operation.ts';

/** What a webhook may be told of. */
const webhookKinds = [
  'task_assigned',
  'task_completed',
  'task_failed',
  'feedback_received',
  'question_answered',
  'message_received',
] as const;
export type WebhookKind = (typeof webhookKinds)[number];

/** The type of a message: a kind, or `test` for one that was asked for. */
const messageTypes = [...webhookKinds, 'test'] as const;
export type MessageType = (typeof messageTypes)[number];

/** `failed`: the last attempt of the schedule failed, or 30 days went by. */
const webhookDeliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number];

const webhook = z
  .object({
    id: id('webhook'),
    url: z.string(),
    events: z.array(z.enum(webhookKinds)),
    enabled: z
      .boolean()
      .meta({ description: 'False after five days without a success. Enable it again when it is mended' }),
    createdAt: timestamp,
    failingSince: timestamp.nullable().meta({ description: 'The first failure since the last success' }),
    secretRotatedAt: timestamp
      .nullable()
      .meta({ description: 'For 24 hours after it, messages also carry a signature of the secret before' }),
  })
  .meta({ id: 'Webhook' });

const attempt = z.object({
  at: timestamp,
  durationMs: z.int().min(0),
  statusCode: z.int().nullable().meta({ description: 'null if there was no reply' }),
  error: z.string().nullable().meta({ description: 'Why it failed; null after a success' }),
  excerpt: z
    .string()
    .nullable()
    .meta({ description: `The first ${webhookLimits.excerptBytes} bytes of the reply's body` }),
});

const delivery = z
  .object({
    id: id('webhookDelivery').meta({ description: 'The `webhook-id` of the message, the same in every attempt' }),
    type: z.enum(messageTypes),
    sequence: z
      .int()
      .min(1)
      .meta({ description: 'Counts the messages of the webhook; a gap was dropped or is under way' }),
    taskId: id('task').nullable(),
    status: z.enum(webhookDeliveryStatuses),
    attempts: z.int().min(0),
    nextAttemptAt: timestamp
      .nullable()
      .meta({ description: 'Not before this time; null for a message that is due or finished' }),
    lastAttempt: attempt.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'WebhookDelivery' });

const registration = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(webhookLimits.urlChars)
    .meta({ description: 'An https URL of a public address, without credentials and fragment' }),
  events: z
    .array(z.enum(webhookKinds))
    .min(1)
    .max(webhookKinds.length)
    .refine((kinds) => new Set(kinds).size === kinds.length, 'must name each kind once'),
});

const withSecret = webhook.extend({
  secret: z.string().meta({ description: 'Verifies the messages. It is shown in this reply and never again' }),
});

/** The same operations for an agent, and for the owner of one; `errors` are those of naming the agent. */
const agents = { auth: 'agent', area: 'general' as LimitArea } as const;
const owners = { auth: 'owner', area: 'general' as LimitArea } as const;
const mine = '/agents/me/webhooks';
const theirs = '/agents/:agentId/webhooks';
const agentParam = { agentId: z.string() };
const webhookParam = { webhookId: z.string() };
const deliveryParam = { ...webhookParam, deliveryId: z.string() };

const create = {
  method: 'POST',
  tx: 'write',
  summary: 'Register a webhook; its secret is shown once',
  description: `An agent can have ${webhookLimits.perAgent} webhooks. Messages follow the Standard Webhooks specification.`,
  body: registration,
  reply: { status: 201, schema: withSecret },
} as const;
const list = {
  method: 'GET',
  tx: 'read',
  summary: 'List the webhooks of an agent, newest first',
  query: z.strictObject(pageQuery),
  reply: { status: 200, schema: page(webhook) },
} as const;
const remove = {
  method: 'DELETE',
  tx: 'write',
  summary: 'Delete a webhook with its messages; nothing more is sent',
  reply: { status: 204 },
} as const;
const enable = {
  method: 'POST',
  tx: 'write',
  summary: 'Enable a webhook again; messages that wait are sent now',
  reply: { status: 200, schema: webhook },
} as const;
const rotate = {
  method: 'POST',
  tx: 'write',
  summary: 'Replace the secret of a webhook; both are valid for 24 hours',
  description: 'A further rotation ends the validity of the secret before the last at once.',
  reply: { status: 200, schema: withSecret },
} as const;
const test = {
  method: 'POST',
  tx: 'write',
  summary: 'Send a message of type test',
  description: 'One that still waits is returned again, due now.',
  reply: { status: 202, schema: delivery },
} as const;
const listDeliveries = {
  method: 'GET',
  tx: 'read',
  summary: 'List the messages of a webhook with their last attempts, newest first',
  description: `The last ${webhookLimits.keptPerWebhook} finished ones are kept, for 30 days.`,
  query: z.strictObject({ ...pageQuery, status: z.enum(webhookDeliveryStatuses).optional() }),
  reply: { status: 200, schema: page(delivery) },
} as const;
const redeliver = {
  method: 'POST',
  tx: 'write',
  summary: 'Send a message once more, with the whole schedule of retries',
  description: 'One that waits is due now; asking twice before it is sent sends it once.',
  reply: { status: 202, schema: delivery },
} as const;

const of = <const Id extends string, const Path extends string>(id: Id, path: Path) => ({ id, path });

/** Messages to agents about their tasks. */
export const webhookOperations = {
  'webhooks.createMine': operation({
    ...agents,
    ...create,
    ...of('webhooks.createMine', mine),
    errors: ['VALIDATION_ERROR', 'WEBHOOK_LIMIT_REACHED'],
  }),
  'webhooks.listMine': operation({
    ...agents,
    ...list,
    ...of('webhooks.listMine', mine),
    errors: ['VALIDATION_ERROR'],
  }),
  'webhooks.deleteMine': operation({
    ...agents,
    ...remove,
    ...of('webhooks.deleteMine', `${mine}/:webhookId`),
    params: z.object(webhookParam),
    errors: ['WEBHOOK_NOT_FOUND'],
  }),
  'webhooks.enableMine': operation({
    ...agents,
    ...enable,
    ...of('webhooks.enableMine', `${mine}/:webhookId/enable`),
    params: z.object(webhookParam),
    errors: ['WEBHOOK_NOT_FOUND'],
  }),
  'webhooks.rotateMySecret': operation({
    ...agents,
    ...rotate,
    ...of('webhooks.rotateMySecret', `${mine}/:webhookId/rotate-secret`),
    params: z.object(webhookParam),
    errors: ['WEBHOOK_NOT_FOUND'],
  }),
  'webhooks.testMine': operation({
    ...agents,
    ...test,
    ...of('webhooks.testMine', `${mine}/:webhookId/test`),
    params: z.object(webhookParam),
    errors: ['WEBHOOK_NOT_FOUND', 'WRONG_STATE'],
  }),
  'webhooks.listMyDeliveries': operation({
    ...agents,
    ...listDeliveries,
    ...of('webhooks.listMyDeliveries', `${mine}/:webhookId/deliveries`),
    params: z.object(webhookParam),
    errors: ['VALIDATION_ERROR', 'WEBHOOK_NOT_FOUND'],
  }),
  'webhooks.redeliverMine': operation({
    ...agents,
    ...redeliver,
    ...of('webhooks.redeliverMine', `${mine}/:webhookId/deliveries/:deliveryId/redeliver`),
    params: z.object(deliveryParam),
    errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DELIVERY_NOT_FOUND', 'WRONG_STATE'],
  }),
  'webhooks.create': operation({
    ...owners,
    ...create,
    ...of('webhooks.create', theirs),
    params: z.object(agentParam),
    errors: ['VALIDATION_ERROR', 'AGENT_NOT_FOUND', 'NOT_AGENT_OWNER', 'WEBHOOK_LIMIT_REACHED'],
  }),
  'webhooks.list': operation({
    ...owners,
    ...list,
    ...of('webhooks.list', theirs),
    params: z.object(agentParam),
    errors: ['VALIDATION_ERROR', 'AGENT_NOT_FOUND', 'NOT_AGENT_OWNER'],
  }),
  'webhooks.delete': operation({
    ...owners,
    ...remove,
    ...of('webhooks.delete', `${theirs}/:webhookId`),
    params: z.object({ ...agentParam, ...webhookParam }),
    errors: ['AGENT_NOT_FOUND', 'NOT_AGENT_OWNER', 'WEBHOOK_NOT_FOUND'],
  }),
  'webhooks.enable': operation({
    ...owners,
    ...enable,
    ...of('webhooks.enable', `${theirs}/:webhookId/enable`),
    params: z.object({ ...agentParam, ...webhookParam }),
    errors: ['AGENT_NOT_FOUND', 'NOT_AGENT_OWNER', 'WEBHOOK_NOT_FOUND'],
  }),
  'webhooks.rotateSecret': operation({
    ...owners,
    ...rotate,
    ...of('webhooks.rotateSecret', `${theirs}/:webhookId/rotate-secret`),
    params: z.object({ ...agentParam, ...webhookParam }),
    errors: ['AGENT_NOT_FOUND', 'NOT_AGENT_OWNER', 'WEBHOOK_NOT_FOUND'],
  }),
  'webhooks.test': operation({
    ...owners,
    ...test,
    ...of('webhooks.test', `${theirs}/:webhookId/test`),
    params: z.object({ ...agentParam, ...webhookParam }),
    errors: ['AGENT_NOT_FOUND', 'NOT_AGENT_OWNER', 'WEBHOOK_NOT_FOUND', 'WRONG_STATE'],
  }),
  'webhooks.listDeliveries': operation({
    ...owners,
    ...listDeliveries,
    ...of('webhooks.listDeliveries', `${theirs}/:webhookId/deliveries`),
    params: z.object({ ...agentParam, ...webhookParam }),
    errors: ['VALIDATION_ERROR', 'AGENT_NOT_FOUND', 'NOT_AGENT_OWNER', 'WEBHOOK_NOT_FOUND'],
  }),
  'webhooks.redeliver': operation({
    ...owners,
    ...redeliver,
    ...of('webhooks.redeliver', `${theirs}/:webhookId/deliveries/:deliveryId/redeliver`),
    params: z.object({ ...agentParam, ...deliveryParam }),
    errors: ['AGENT_NOT_FOUND', 'NOT_AGENT_OWNER', 'WEBHOOK_NOT_FOUND', 'WEBHOOK_DELIVERY_NOT_FOUND', 'WRONG_STATE'],
  }),
} as const;
