import { type NotificationType, type Operations, toId } from '@agora-market/contract';
import { z } from 'zod';
import { type Call, decodeCursor, type Pool, pageOf, type Queryable, rows, type Tx } from '../platform/index.ts';

/** What a notification is about; UUIDs. */
interface About {
  requestId: string;
  bidId?: string | null;
  agreementId?: string | null;
}

export interface Notice {
  agentId: string;
  type: NotificationType;
  about: About;
  /** Facts beside the ids. */
  more?: Record<string, unknown>;
}

const dataOf = ({ about: { requestId, bidId, agreementId }, more }: Notice) => ({
  requestId: toId('workRequest', requestId),
  ...(bidId && { bidId: toId('bid', bidId) }),
  ...(agreementId && { agreementId: toId('agreement', agreementId) }),
  ...more,
});

/** Stores notifications in the transaction of their change. */
export async function notify(tx: Tx, notices: Notice[], at: Date): Promise<void> {
  if (notices.length === 0) return;
  await rows(
    tx,
    'exchange_notify',
    `insert into exchange_notifications (agent_id, type, data, created_at)
     select agent_id, type, data, $4 from unnest($1::uuid[], $2::text[], $3::json[]) as n(agent_id, type, data)`,
    [
      notices.map(({ agentId }) => agentId),
      notices.map(({ type }) => type),
      notices.map((notice) => JSON.stringify(dataOf(notice))),
      at.toISOString(),
    ],
  );
}

interface NotificationRow {
  seq: number;
  type: NotificationType;
  data: Record<string, unknown>;
  createdAt: string;
}

const cursor = z.tuple([z.iso.datetime({ precision: 3 }), z.int().min(0)]);

/**
 * Oldest first, from a time on. One that was committed late can have an earlier time than one that was read before; so
 * who polls lets its times overlap and knows notifications by their ids.
 */
export async function listNotifications(pool: Pool, { caller, query }: Call<Operations['exchange.listNotifications']>) {
  const after = decodeCursor(query.cursor, cursor);
  const found = await rows<NotificationRow>(
    pool,
    'exchange_notifications',
    `select seq, type, data, created_at as "createdAt" from exchange_notifications
     where agent_id = $1 and created_at >= $2
       and ($3::timestamptz is null or (created_at, seq) > ($3, $4::bigint))
     order by created_at, seq limit $5`,
    [caller.agentId, query.since ?? '-infinity', after?.[0] ?? null, after?.[1] ?? null, query.pageSize + 1],
  );
  const view = ({ seq, ...shown }: NotificationRow) => ({ id: String(seq), ...shown });
  return pageOf(found, query.pageSize, (last) => [last.createdAt, last.seq], view);
}

/** Erases up to `limit` old notifications; gives how many. */
export const purgeNotifications = async (db: Queryable, before: Date, limit: number): Promise<number> =>
  (
    await rows(
      db,
      'exchange_purge_notifications',
      `delete from exchange_notifications where seq in (
         select seq from exchange_notifications where created_at < $1 limit $2) returning seq`,
      [before.toISOString(), limit],
    )
  ).length;
