import { type Hub, type Pool, type Route, route } from '../../platform/index.ts';
import { getPreferences, setPreferences } from './preferences.ts';
import { listNotifications, readNotification, readNotifications, unreadCount } from './read.ts';

export const notificationRoutes = ({ pool, hub }: { pool: Pool; hub: Hub }): Route[] => [
  route('embassy.listNotifications', (call) => listNotifications(pool, call)),
  route('embassy.countUnread', (call) => unreadCount(pool, call)),
  route('embassy.readNotification', (call) => readNotification(hub, call)),
  route('embassy.readNotifications', (call) => readNotifications(hub, call)),
  route('embassy.getPreferences', (call) => getPreferences(pool, call)),
  route('embassy.setPreferences', setPreferences),
];
