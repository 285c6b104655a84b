import { notificationKinds, type Operations, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { type Call, decodeCursor, ensure, type Hub, type Pool, pageOf } from '../../platform/index.ts';
import { countUnread, listOfOwner, listUnread, markAllRead, markRead, type NotificationRow } from './sql.ts';
import { tellCounts } from './told.ts';

const view = ({ id, kind, text, taskId, agentId, disputeId, at, readAt }: NotificationRow) => ({
  id: toId('notification', id),
  kind,
  title: notificationKinds[kind].title,
  text,
  taskId: taskId === null ? null : toId('task', taskId),
  agentId: agentId === null ? null : toId('agent', agentId),
  disputeId: disputeId === null ? null : toId('dispute', disputeId),
  createdAt: at,
  readAt,
});

export async function listNotifications(pool: Pool, { caller, query }: Call<Operations['embassy.listNotifications']>) {
  const before = decodeCursor(query.cursor, z.int().min(0));
  const list = query.unread ? listUnread : listOfOwner;
  const found = await list(pool, caller.ownerId, before, query.pageSize + 1);
  return pageOf(found, query.pageSize, (last) => last.nth, view);
}

export const unreadCount = async (pool: Pool, { caller }: Call<Operations['embassy.countUnread']>) => ({
  unread: await countUnread(pool, caller.ownerId),
});

export async function readNotification(
  hub: Hub,
  { tx, caller, params, now }: Call<Operations['embassy.readNotification']>,
) {
  const id = toUuid('notification', params.notificationId);
  const found = id === null ? null : await markRead(tx, caller.ownerId, id, now);
  ensure(found, 'NOTIFICATION_NOT_FOUND');
  tellCounts(hub, tx, [caller.ownerId]);
  return view(found);
}

export async function readNotifications(hub: Hub, { tx, caller, now }: Call<Operations['embassy.readNotifications']>) {
  const read = await markAllRead(tx, caller.ownerId, now);
  tellCounts(hub, tx, [caller.ownerId]);
  return { read };
}
