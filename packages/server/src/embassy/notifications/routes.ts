import { type Pool, type Route, route } from '../../platform/index.ts';
import { getPreferences, setPreferences } from './preferences.ts';
import { listNotifications, readNotification, readNotifications, unreadCount } from './read.ts';

export const notificationRoutes = ({ pool }: { pool: Pool }): Route[] => [
  route('embassy.listNotifications', (call) => listNotifications(pool, call)),
  route('embassy.countUnread', (call) => unreadCount(pool, call)),
  route('embassy.readNotification', readNotification),
  route('embassy.readNotifications', readNotifications),
  route('embassy.getPreferences', (call) => getPreferences(pool, call)),
  route('embassy.setPreferences', setPreferences),
];
