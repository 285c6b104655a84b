import { type Operations, toId, toUuid, webhookLimits } from '@agora-market/contract';
import { z } from 'zod';
import { appendEvent } from '../events/index.ts';
import { type Call, decodeCursor, ensure, invalidField, newUuid, pageOf, type Queryable } from '../platform/index.ts';
import { urlProblem } from '../platform/outbound/index.ts';
import { lockOwner } from '../registry/index.ts';
import type { WebhookDeps } from './deps.ts';
import {
  countWebhooks,
  deleteWebhook,
  enableWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  replaceSecret,
  type WebhookRow,
} from './sql.ts';
import { webhookView } from './views.ts';

/** Whose webhooks a call is about: an agent's, or without one the owner's own. UUIDs. */
export interface Holder {
  agentId: string | null;
  ownerId: string;
}

const holderId = ({ agentId, ownerId }: Holder): string => agentId ?? ownerId;

type Create = Call<Operations['webhooks.createMine' | 'webhooks.create' | 'ownerWebhooks.create']>;
type List = Call<Operations['webhooks.listMine']>;
type Change = Pick<Call, 'tx' | 'now' | 'correlationId'> & { params: { webhookId: string } };

/** The webhook that a path names; another holder's is as unknown as one that never was. */
async function named(
  find: (db: Queryable, holderId: string, id: string) => Promise<WebhookRow | null>,
  db: Queryable,
  holder: Holder,
  webhookId: string,
): Promise<WebhookRow> {
  const id = toUuid('webhook', webhookId);
  const found = id === null ? null : await find(db, holderId(holder), id);
  ensure(found, 'WEBHOOK_NOT_FOUND');
  return found;
}

export const requireWebhook = (db: Queryable, holder: Holder, webhookId: string) =>
  named(findWebhook, db, holder, webhookId);

/** As `requireWebhook`; it cannot change until the transaction ends. */
export const requireLocked = (tx: Queryable, holder: Holder, webhookId: string) =>
  named(lockWebhook, tx, holder, webhookId);

export const record = (
  { tx, now, correlationId }: Pick<Call, 'tx' | 'now' | 'correlationId'>,
  type: 'webhook.created' | 'webhook.deleted' | 'webhook.enabled' | 'webhook.secret_rotated',
  holder: Holder,
  id: string,
) =>
  // Not the URL, in which some services have a secret.
  appendEvent(tx, { type, district: 'registry', at: now, correlationId, ...aboutWebhook(holder, id) });

/** Whom an event of a webhook is about, and what it says at least. */
export const aboutWebhook = ({ agentId, ownerId }: Holder, id: string) => ({
  ownerId,
  ...(agentId !== null && { agentId }),
  data: { webhookId: toId('webhook', id), ...(agentId !== null && { agentId: toId('agent', agentId) }) },
});

function changed(row: WebhookRow | null): WebhookRow {
  if (row === null) throw new Error('the change of a webhook returned no row');
  return row;
}

/** Holds the owner's row, so that limits hold. Refuses an owner that was ended since the caller was let in. */
export async function lockActiveOwner(tx: Queryable, ownerId: string): Promise<void> {
  const owner = await lockOwner(tx, ownerId);
  ensure(owner?.status === 'active', 'INVALID_SESSION');
}

/** The reply is the only place where the secret ever stands. */
export async function createWebhook({ clock, config, secrets }: WebhookDeps, call: Create, holder: Holder) {
  const { url, events } = call.body;
  const problem = urlProblem(url, { allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK });
  if (problem !== null) throw invalidField('url', problem);
  const limit = webhookLimits.perHolder;
  await lockActiveOwner(call.tx, holder.ownerId);
  const message = `${holder.agentId === null ? 'An owner' : 'An agent'} can have ${limit} webhooks. Delete one first.`;
  ensure((await countWebhooks(call.tx, holderId(holder))) < limit, 'WEBHOOK_LIMIT_REACHED', message, { limit });
  const { text, encrypted } = secrets.create();
  const webhook = { id: newUuid(clock), ...holder, url, events, secret: encrypted, at: call.now };
  const row = changed(await insertWebhook(call.tx, webhook));
  await record(call, 'webhook.created', holder, row.id);
  return { ...webhookView(row), secret: text };
}

export async function listOwnWebhooks({ pool }: WebhookDeps, { query }: Pick<List, 'query'>, holder: Holder) {
  const found = await listWebhooks(pool, holderId(holder), decodeCursor(query.cursor, z.guid()), query.pageSize + 1);
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
