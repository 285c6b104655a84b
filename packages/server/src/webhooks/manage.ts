import { type Operations, toId, toUuid, webhookLimits } from '@agora-market/contract';
import { z } from 'zod';
import { appendEvent } from '../events/index.ts';
import { type Call, decodeCursor, ensure, invalidField, newUuid, pageOf, type Queryable } from '../platform/index.ts';
import { urlProblem } from '../platform/outbound/index.ts';
import type { WebhookDeps } from './deps.ts';
import {
  countWebhooks,
  deleteWebhook,
  enableWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  lockAgent,
  lockWebhook,
  replaceSecret,
  type WebhookRow,
} from './sql.ts';
import { webhookView } from './views.ts';

/** Whose webhooks a call is about: those of the calling agent, or of an agent of the calling owner. UUIDs. */
export interface Holder {
  agentId: string;
  ownerId: string;
}

type Create = Call<Operations['webhooks.createMine' | 'webhooks.create']>;
type List = Call<Operations['webhooks.listMine' | 'webhooks.list']>;
type Change = Pick<Call, 'tx' | 'now' | 'correlationId'> & { params: { webhookId: string } };

/** The webhook that a path names; another agent's is as unknown as one that never was. */
async function named(
  find: (db: Queryable, agentId: string, id: string) => Promise<WebhookRow | null>,
  db: Queryable,
  { agentId }: Holder,
  webhookId: string,
): Promise<WebhookRow> {
  const id = toUuid('webhook', webhookId);
  const found = id === null ? null : await find(db, agentId, id);
  ensure(found, 'WEBHOOK_NOT_FOUND');
  return found;
}

export const requireWebhook = (db: Queryable, holder: Holder, webhookId: string) =>
  named(findWebhook, db, holder, webhookId);

/** As `requireWebhook`; it cannot change until the transaction ends. */
export const requireLocked = (tx: Queryable, holder: Holder, webhookId: string) =>
  named(lockWebhook, tx, holder, webhookId);

const record = (
  { tx, now, correlationId }: Pick<Call, 'tx' | 'now' | 'correlationId'>,
  type: 'webhook.created' | 'webhook.deleted' | 'webhook.enabled' | 'webhook.secret_rotated',
  { agentId, ownerId }: Holder,
  id: string,
) =>
  appendEvent(tx, {
    type,
    district: 'registry',
    at: now,
    correlationId,
    agentId,
    ownerId,
    // Not the URL, in which some services have a secret.
    data: { webhookId: toId('webhook', id), agentId: toId('agent', agentId) },
  });

function changed(row: WebhookRow | null): WebhookRow {
  if (row === null) throw new Error('the change of a webhook returned no row');
  return row;
}

/** The reply is the only place where the secret ever stands. */
export async function createWebhook({ clock, config, secrets }: WebhookDeps, call: Create, holder: Holder) {
  const { url, events } = call.body;
  const problem = urlProblem(url, { allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK });
  if (problem !== null) throw invalidField('url', problem);
  const limit = webhookLimits.perAgent;
  await lockAgent(call.tx, holder.agentId);
  const message = `An agent can have ${limit} webhooks. Delete one first.`;
  ensure((await countWebhooks(call.tx, holder.agentId)) < limit, 'WEBHOOK_LIMIT_REACHED', message, { limit });
  const { text, encrypted } = secrets.create();
  const webhook = { id: newUuid(clock), agentId: holder.agentId, url, events, secret: encrypted, at: call.now };
  const row = changed(await insertWebhook(call.tx, webhook));
  await record(call, 'webhook.created', holder, row.id);
  return { ...webhookView(row), secret: text };
}

export async function listOwnWebhooks({ pool }: WebhookDeps, { query }: Pick<List, 'query'>, holder: Holder) {
  const found = await listWebhooks(pool, holder.agentId, decodeCursor(query.cursor, z.guid()), query.pageSize + 1);
  return pageOf(found, query.pageSize, ({ id }) => id, webhookView);
}

export async function removeWebhook(call: Change, holder: Holder): Promise<void> {
  const { id } = await requireLocked(call.tx, holder, call.params.webhookId);
  await deleteWebhook(call.tx, id);
  await record(call, 'webhook.deleted', holder, id);
}

export async function enableAgain(call: Change, holder: Holder) {
  const webhook = await requireLocked(call.tx, holder, call.params.webhookId);
  if (webhook.enabled) return webhookView(webhook);
  const row = changed(await enableWebhook(call.tx, webhook.id, call.now));
  await record(call, 'webhook.enabled', holder, webhook.id);
  return webhookView(row);
}

export async function rotateSecret({ secrets }: WebhookDeps, call: Change, holder: Holder) {
  const { id } = await requireLocked(call.tx, holder, call.params.webhookId);
  const { text, encrypted } = secrets.create();
  const row = changed(await replaceSecret(call.tx, id, encrypted, call.now));
  await record(call, 'webhook.secret_rotated', holder, id);
  return { ...webhookView(row), secret: text };
}
