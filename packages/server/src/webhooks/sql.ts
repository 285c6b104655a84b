import type { MessageType, WebhookDeliveryStatus, WebhookKind } from '@agora-market/contract';
import { changedRows, type Queryable, row, rows } from '../platform/index.ts';

export interface WebhookRow {
  id: string;
  url: string;
  events: WebhookKind[];
  enabled: boolean;
  createdAt: string;
  failingSince: string | null;
  secretRotatedAt: string | null;
}

const columns = `id, url, events, enabled, created_at as "createdAt", failing_since as "failingSince",
  rotated_at as "secretRotatedAt"`;

/** What a stored message is: `push` tells a client of A2A how its task stands. */
export type StoredType = MessageType | 'push';

/** One that was ended has no address. */
export const isThere = `url <> ''`;

/** SQL: the task or approval that it is about, or else the agent or the owner whose webhook it is. */
export const holderOf = (webhooks: string) => `coalesce(${webhooks}.about, ${webhooks}.agent_id, ${webhooks}.owner_id)`;
export const holder = holderOf('webhooks');

export const countWebhooks = async (tx: Queryable, holderId: string): Promise<number> =>
  (
    await row<{ count: number }>(
      tx,
      'webhooks_count',
      `select count(*) as count from webhooks where ${holder} = $1 and ${isThere}`,
      [holderId],
    )
  )?.count ?? 0;

export const insertWebhook = (
  tx: Queryable,
  webhook: {
    id: string;
    ownerId: string;
    agentId: string | null;
    url: string;
    events: readonly WebhookKind[];
    secret: Buffer;
    at: Date;
  },
) =>
  row<WebhookRow>(
    tx,
    'webhooks_insert',
    `insert into webhooks (id, owner_id, agent_id, url, events, secret, created_at) values ($1, $2, $3, $4, $5, $6, $7)
     returning ${columns}`,
    [
      webhook.id,
      webhook.ownerId,
      webhook.agentId,
      webhook.url,
      webhook.events,
      webhook.secret,
      webhook.at.toISOString(),
    ],
  );

/** Newest first, from below `beforeId`. */
export const listWebhooks = (db: Queryable, holderId: string, beforeId: string | null, limit: number) =>
  rows<WebhookRow>(
    db,
    'webhooks_list',
    `select ${columns} from webhooks where ${holder} = $1 and ${isThere} and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [holderId, beforeId, limit],
  );

/** Null where the holder has no such webhook. */
export const findWebhook = (db: Queryable, holderId: string, id: string) =>
  row<WebhookRow>(
    db,
    'webhooks_find',
    `select ${columns} from webhooks where ${holder} = $1 and id = $2 and ${isThere}`,
    [holderId, id],
  );

/** As `findWebhook`; it cannot change until the transaction ends. */
export const lockWebhook = (tx: Queryable, holderId: string, id: string) =>
  row<WebhookRow>(
    tx,
    'webhooks_lock',
    `select ${columns} from webhooks where ${holder} = $1 and id = $2 and ${isThere} for update`,
    [holderId, id],
  );

export const deleteWebhook = (tx: Queryable, id: string) =>
  rows(tx, 'webhooks_delete', 'delete from webhooks where id = $1', [id]);

export const replaceSecret = (tx: Queryable, id: string, secret: Buffer, at: Date) =>
  row<WebhookRow>(
    tx,
    'webhooks_replace_secret',
    `update webhooks set previous_secret = secret, secret = $2, rotated_at = $3 where id = $1 returning ${columns}`,
    [id, secret, at.toISOString()],
  );

/** Enabled, with its failures forgotten; a round under way has nothing more to say about it. */
export const enableWebhook = (tx: Queryable, id: string, at: Date) =>
  row<WebhookRow>(
    tx,
    'webhooks_enable',
    `update webhooks set enabled = true, failures = 0, failing_since = null, paused_until = null, held = null,
       rounds = rounds + 1, nudges = nudges + 1, next_at = case when waiting > 0 then $2::timestamptz end, set_at = $2
     where id = $1 returning ${columns}`,
    [id, at.toISOString()],
  );

/** False if it was disabled or enabled again meanwhile. */
export const disableWebhook = async (tx: Queryable, id: string, round: number): Promise<boolean> =>
  (await changedRows(
    tx,
    'webhooks_disable',
    'update webhooks set enabled = false where id = $1 and rounds = $2 and enabled',
    [id, round],
  )) === 1;

export interface DeliveryRow {
  id: string;
  type: MessageType;
  sequence: number;
  taskId: string | null;
  status: WebhookDeliveryStatus;
  attempts: number;
  nextAttemptAt: string | null;
  createdAt: string;
  attemptedAt: string | null;
  durationMs: number | null;
  statusCode: number | null;
  error: string | null;
  excerpt: string | null;
}

/** An endpoint that is paused holds back the messages that failed. */
const deliveryColumns = `d.id, d.type, d.sequence, d.task_id as "taskId", d.status, d.attempts,
  case when d.status = 'pending' and d.due_at is not null then greatest(d.due_at, w.paused_until) end as "nextAttemptAt",
  d.created_at as "createdAt", d.attempted_at as "attemptedAt", d.duration_ms as "durationMs",
  d.status_code as "statusCode", d.error, d.excerpt`;

/** Newest first, from below the number `before`. */
export const listDeliveries = (
  db: Queryable,
  webhookId: string,
  { status, before, limit }: { status: WebhookDeliveryStatus | undefined; before: number | null; limit: number },
) =>
  rows<DeliveryRow>(
    db,
    'webhook_deliveries_list',
    `select ${deliveryColumns} from webhook_deliveries d join webhooks w on w.id = d.webhook_id
     where d.webhook_id = $1 and ($2::text is null or d.status = $2) and ($3::bigint is null or d.sequence < $3)
     order by d.sequence desc limit $4`,
    [webhookId, status ?? null, before, limit],
  );

export const findDelivery = (db: Queryable, webhookId: string, id: string) =>
  row<DeliveryRow>(
    db,
    'webhook_deliveries_find',
    `select ${deliveryColumns} from webhook_deliveries d join webhooks w on w.id = d.webhook_id
     where d.webhook_id = $1 and d.id = $2`,
    [webhookId, id],
  );

/** A test message that still waits. */
export const findWaitingTest = (db: Queryable, webhookId: string) =>
  row<{ id: string }>(
    db,
    'webhook_deliveries_waiting_test',
    `select id from webhook_deliveries where webhook_id = $1 and status = 'pending' and type = 'test' limit 1`,
    [webhookId],
  );

/** Adds a test message to a locked webhook. */
export const insertTest = (tx: Queryable, webhookId: string, id: string, at: Date) =>
  rows(
    tx,
    'webhook_deliveries_test',
    `with numbered as (
       update webhooks set sequence = sequence + 1, waiting = waiting + 1 where id = $1 returning id, sequence
     )
     insert into webhook_deliveries (id, webhook_id, sequence, type, created_at)
     select $2, id, sequence, 'test', $3 from numbered`,
    [webhookId, id, at.toISOString()],
  );

/** A message of a locked webhook is sent once more, from the first attempt on. */
export const sendAgain = (tx: Queryable, webhookId: string, id: string) =>
  rows(
    tx,
    'webhook_deliveries_again',
    `with found as (
       select id, status from webhook_deliveries where webhook_id = $1 and id = $2
     ), counted as (
       update webhooks w set waiting = w.waiting + 1 from found where w.id = $1 and found.status <> 'pending'
     )
     update webhook_deliveries d set status = 'pending', attempts = 0, due_at = null from found where d.id = found.id`,
    [webhookId, id],
  );

/** A locked webhook has something to send now. */
export const sendNow = (tx: Queryable, webhookId: string, at: Date) =>
  rows(
    tx,
    'webhooks_send_now',
    `update webhooks set nudges = nudges + 1, set_at = $2,
       next_at = case when held = 'round' then next_at else $2::timestamptz end
     where id = $1`,
    [webhookId, at.toISOString()],
  );
