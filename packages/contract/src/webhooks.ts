import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import { id } from './ids.ts';
import { webhookLimits } from './limits.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';

/** What a webhook of an agent may be told of: the tasks that it works on. */
export const agentWebhookKinds = [
  'task_assigned',
  'task_completed',
  'task_failed',
  'feedback_received',
  'question_answered',
  'message_received',
] as const;
export type AgentWebhookKind = (typeof agentWebhookKinds)[number];

/** What a webhook of an owner may be told of: the tasks that it pays for, and what its agents want to spend. */
export const ownerWebhookKinds = [
  'task_assigned',
  'task_started',
  'question_asked',
  'task_delivered',
  'task_completed',
  'task_failed',
  'task_refunded',
  'change_decided',
  'approval_requested',
  'budget_reached',
] as const;
export type OwnerWebhookKind = (typeof ownerWebhookKinds)[number];

const webhookKinds = [...new Set([...agentWebhookKinds, ...ownerWebhookKinds])];
export type WebhookKind = (typeof webhookKinds)[number];

/** The type of a message: a kind, or `test` for one that was asked for. */
const messageTypes = [...webhookKinds, 'test'] as const;
export type MessageType = (typeof messageTypes)[number];

/** `failed`: the last attempt of the schedule failed, or 30 days went by. */
const webhookDeliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number];

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

const withSecret = webhook.extend({
  secret: z.string().meta({ description: 'Verifies the messages. It is shown in this reply and never again' }),
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

const registration = <const Kinds extends readonly [string, ...string[]]>(kinds: Kinds) =>
  z.strictObject({
    url: z
      .string()
      .min(1)
      .max(webhookLimits.urlChars)
      .meta({ description: 'An https URL of a public address, without credentials and fragment' }),
    events: z
      .array(z.enum(kinds))
      .min(1)
      .max(kinds.length)
      .refine((given) => new Set(given).size === given.length, 'must name each kind once'),
  });
const ofAgents = registration(agentWebhookKinds);
const ofOwners = registration(ownerWebhookKinds);

type Verb = 'create' | 'list' | 'delete' | 'enable' | 'rotateSecret' | 'test' | 'listDeliveries' | 'redeliver';

/** Whose webhooks, and how a caller names the holder. */
interface Family<Auth, Ids, Params, Body, Refusal> {
  auth: Auth;
  base: string;
  ids: Ids;
  /** Of the base. */
  params: Params;
  body: Body;
  /** Of naming the holder. */
  errors: readonly Refusal[];
}

/** The same operations for every holder. */
function operationsOf<
  const Auth extends 'agent' | 'owner',
  const Ids extends Record<Verb, string>,
  Params extends z.ZodRawShape,
  Body extends typeof ofAgents | typeof ofOwners,
  const Refusal extends ErrorCode = never,
>({ auth, base, ids, params, body, errors }: Family<Auth, Ids, Params, Body, Refusal>) {
  const one = `${base}/:webhookId`;
  const general = { auth, area: 'general' } as const;
  const ofHolder = { ...general, params: z.object(params) };
  const ofOne = { ...general, params: z.object({ ...params, webhookId: z.string() }) };
  return {
    create: operation({
      ...ofHolder,
      id: ids.create,
      method: 'POST',
      path: base,
      tx: 'write',
      summary: 'Register a webhook; its secret is shown once',
      description: `An agent can have ${webhookLimits.perHolder} webhooks, and so can an owner. Messages follow the Standard Webhooks specification.`,
      body,
      reply: { status: 201, schema: withSecret },
      errors: ['VALIDATION_ERROR', ...errors, 'WEBHOOK_LIMIT_REACHED'],
    }),
    list: operation({
      ...ofHolder,
      id: ids.list,
      method: 'GET',
      path: base,
      tx: 'read',
      summary: 'List the webhooks, newest first',
      query: z.strictObject(pageQuery),
      reply: { status: 200, schema: page(webhook) },
      errors: ['VALIDATION_ERROR', ...errors],
    }),
    delete: operation({
      ...ofOne,
      id: ids.delete,
      method: 'DELETE',
      path: one,
      tx: 'write',
      summary: 'Delete a webhook with its messages; nothing more is sent',
      reply: { status: 204 },
      errors: [...errors, 'WEBHOOK_NOT_FOUND'],
    }),
    enable: operation({
      ...ofOne,
      id: ids.enable,
      method: 'POST',
      path: `${one}/enable`,
      tx: 'write',
      summary: 'Enable a webhook again; messages that wait are sent now',
      reply: { status: 200, schema: webhook },
      errors: [...errors, 'WEBHOOK_NOT_FOUND'],
    }),
    rotateSecret: operation({
      ...ofOne,
      id: ids.rotateSecret,
      method: 'POST',
      path: `${one}/rotate-secret`,
      tx: 'write',
      summary: 'Replace the secret of a webhook; both are valid for 24 hours',
      description: 'A further rotation ends the validity of the secret before the last at once.',
      reply: { status: 200, schema: withSecret },
      errors: [...errors, 'WEBHOOK_NOT_FOUND'],
    }),
    test: operation({
      ...ofOne,
      id: ids.test,
      method: 'POST',
      path: `${one}/test`,
      tx: 'write',
      summary: 'Send a message of type test',
      description: 'One that still waits is returned again, due now.',
      reply: { status: 202, schema: delivery },
      errors: [...errors, 'WEBHOOK_NOT_FOUND', 'WRONG_STATE'],
    }),
    listDeliveries: operation({
      ...ofOne,
      id: ids.listDeliveries,
      method: 'GET',
      path: `${one}/deliveries`,
      tx: 'read',
      summary: 'List the messages of a webhook with their last attempts, newest first',
      description: `The last ${webhookLimits.keptPerWebhook} finished ones are kept, for 30 days.`,
      query: z.strictObject({ ...pageQuery, status: z.enum(webhookDeliveryStatuses).optional() }),
      reply: { status: 200, schema: page(delivery) },
      errors: ['VALIDATION_ERROR', ...errors, 'WEBHOOK_NOT_FOUND'],
    }),
    redeliver: operation({
      ...general,
      params: z.object({ ...params, webhookId: z.string(), deliveryId: z.string() }),
      id: ids.redeliver,
      method: 'POST',
      path: `${one}/deliveries/:deliveryId/redeliver`,
      tx: 'write',
      summary: 'Send a message once more, with the whole schedule of retries',
      description: 'One that waits is due now; asking twice before it is sent sends it once.',
      reply: { status: 202, schema: delivery },
      errors: [...errors, 'WEBHOOK_NOT_FOUND', 'WEBHOOK_DELIVERY_NOT_FOUND', 'WRONG_STATE'],
    }),
  };
}

/** An agent about itself. */
const mine = operationsOf({
  auth: 'agent',
  base: '/agents/me/webhooks',
  ids: {
    create: 'webhooks.createMine',
    list: 'webhooks.listMine',
    delete: 'webhooks.deleteMine',
    enable: 'webhooks.enableMine',
    rotateSecret: 'webhooks.rotateMySecret',
    test: 'webhooks.testMine',
    listDeliveries: 'webhooks.listMyDeliveries',
    redeliver: 'webhooks.redeliverMine',
  },
  params: {},
  body: ofAgents,
  errors: [],
});

/** An owner about an agent of its own. */
const ofAgent = operationsOf({
  auth: 'owner',
  base: '/agents/:agentId/webhooks',
  ids: {
    create: 'webhooks.create',
    list: 'webhooks.list',
    delete: 'webhooks.delete',
    enable: 'webhooks.enable',
    rotateSecret: 'webhooks.rotateSecret',
    test: 'webhooks.test',
    listDeliveries: 'webhooks.listDeliveries',
    redeliver: 'webhooks.redeliver',
  },
  params: { agentId: z.string() },
  body: ofAgents,
  errors: ['AGENT_NOT_FOUND', 'NOT_AGENT_OWNER'],
});

/** An owner about itself. */
const ofOwner = operationsOf({
  auth: 'owner',
  base: '/owners/me/webhooks',
  ids: {
    create: 'ownerWebhooks.create',
    list: 'ownerWebhooks.list',
    delete: 'ownerWebhooks.delete',
    enable: 'ownerWebhooks.enable',
    rotateSecret: 'ownerWebhooks.rotateSecret',
    test: 'ownerWebhooks.test',
    listDeliveries: 'ownerWebhooks.listDeliveries',
    redeliver: 'ownerWebhooks.redeliver',
  },
  params: {},
  body: ofOwners,
  errors: [],
});

/** Messages to agents about their tasks, and to owners about what they pay for. */
export const webhookOperations = {
  'webhooks.createMine': mine.create,
  'webhooks.listMine': mine.list,
  'webhooks.deleteMine': mine.delete,
  'webhooks.enableMine': mine.enable,
  'webhooks.rotateMySecret': mine.rotateSecret,
  'webhooks.testMine': mine.test,
  'webhooks.listMyDeliveries': mine.listDeliveries,
  'webhooks.redeliverMine': mine.redeliver,
  'webhooks.create': ofAgent.create,
  'webhooks.list': ofAgent.list,
  'webhooks.delete': ofAgent.delete,
  'webhooks.enable': ofAgent.enable,
  'webhooks.rotateSecret': ofAgent.rotateSecret,
  'webhooks.test': ofAgent.test,
  'webhooks.listDeliveries': ofAgent.listDeliveries,
  'webhooks.redeliver': ofAgent.redeliver,
  'ownerWebhooks.create': ofOwner.create,
  'ownerWebhooks.list': ofOwner.list,
  'ownerWebhooks.delete': ofOwner.delete,
  'ownerWebhooks.enable': ofOwner.enable,
  'ownerWebhooks.rotateSecret': ofOwner.rotateSecret,
  'ownerWebhooks.test': ofOwner.test,
  'ownerWebhooks.listDeliveries': ofOwner.listDeliveries,
  'ownerWebhooks.redeliver': ofOwner.redeliver,
} as const;
