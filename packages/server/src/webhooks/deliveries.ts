import { type Operations, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { afterCommit, type Call, decodeCursor, ensure, newUuid, pageOf } from '../platform/index.ts';
import type { WebhookDeps } from './deps.ts';
import { type Holder, requireLocked, requireWebhook } from './manage.ts';
import { messagesTopic } from './sender.ts';
import {
  type DeliveryRow,
  findDelivery,
  findWaitingTest,
  insertTest,
  listDeliveries,
  sendAgain,
  sendNow,
  type WebhookRow,
} from './sql.ts';
import { deliveryView } from './views.ts';

type List = Call<Operations['webhooks.listMyDeliveries']>;
type Test = Call<Operations['webhooks.testMine']>;
type Redeliver = Call<Operations['webhooks.redeliverMine']>;

export async function listWebhookDeliveries(
  { pool }: WebhookDeps,
  call: Pick<List, 'params' | 'query'>,
  holder: Holder,
) {
  const { pageSize, cursor, status } = call.query;
  const { id } = await requireWebhook(pool, holder, call.params.webhookId);
  const before = decodeCursor(cursor, z.int().min(0));
  const found = await listDeliveries(pool, id, { status, before, limit: pageSize + 1 });
  return pageOf(found, pageSize, ({ sequence }) => sequence, deliveryView);
}

function requireEnabled({ enabled }: WebhookRow): void {
  ensure(enabled, 'WRONG_STATE', 'The webhook is disabled. Enable it first.');
}

/** The message is due now, and whoever sends is woken at the commit. */
async function dueNow({ hub }: WebhookDeps, { tx, now }: Pick<Call, 'tx' | 'now'>, webhookId: string, id: string) {
  await sendNow(tx, webhookId, now);
  afterCommit(tx, () => hub.notify([messagesTopic]));
  return deliveryView((await findDelivery(tx, webhookId, id)) as DeliveryRow);
}

/** One test message waits at a time. */
export async function sendTest(deps: WebhookDeps, call: Pick<Test, 'tx' | 'now' | 'params'>, holder: Holder) {
  const webhook = await requireLocked(call.tx, holder, call.params.webhookId);
  requireEnabled(webhook);
  const waiting = await findWaitingTest(call.tx, webhook.id);
  const id = waiting?.id ?? newUuid(deps.clock);
  if (waiting === null) await insertTest(call.tx, webhook.id, id, call.now);
  else await sendAgain(call.tx, webhook.id, id);
  return dueNow(deps, call, webhook.id, id);
}

/** A message that waits is due now; one that is finished waits again. So asking twice at once sends it once. */
export async function redeliver(deps: WebhookDeps, call: Pick<Redeliver, 'tx' | 'now' | 'params'>, holder: Holder) {
  const webhook = await requireLocked(call.tx, holder, call.params.webhookId);
  const id = toUuid('webhookDelivery', call.params.deliveryId);
  const found = id === null ? null : await findDelivery(call.tx, webhook.id, id);
  ensure(found, 'WEBHOOK_DELIVERY_NOT_FOUND');
  requireEnabled(webhook);
  await sendAgain(call.tx, webhook.id, found.id);
  return dueNow(deps, call, webhook.id, found.id);
}
