import type { ItemOf } from '@agora-market/sdk';
import { type InfiniteData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { agora } from './client.ts';
import { pagesOf } from './pages.ts';
import { everyWithoutStream } from './poll.ts';

export type Notification = ItemOf<'embassy.listNotifications'>;
type Pages = InfiniteData<{ data: Notification[]; pagination: { nextCursor: string | null } }, string | null>;

const listKey = ['notifications', 'list'];

export const unreadQuery = queryOptions({
  queryKey: ['notifications', 'unread'],
  queryFn: async () => (await agora.embassy.countUnread()).unread,
  refetchInterval: everyWithoutStream(30_000),
});

/** The owner's notifications, newest first. */
export const notificationsQuery = (unread: boolean) =>
  pagesOf([...listKey, unread], (cursor) =>
    agora.embassy.listNotifications({ ...(unread && { unread }), pageSize: 50, ...cursor }),
  );

/**
 * Marks one notification, or all, as read: on the page and the bell at once, and back again if the server refuses. The
 * rows stay in a list of unread ones until it is opened again, so that nothing moves under the pointer.
 */
export function useRead() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (id: string | 'all') => {
      if (id === 'all') await agora.embassy.readNotifications();
      else await agora.embassy.readNotification(id);
    },
    onMutate: async (id) => {
      await queries.cancelQueries({ queryKey: ['notifications'] });
      const before = queries.getQueriesData({ queryKey: ['notifications'] });
      const readAt = new Date().toISOString();
      const marked = (one: Notification) =>
        id === 'all' || one.id === id ? { ...one, readAt: one.readAt ?? readAt } : one;
      queries.setQueriesData<Pages>(
        { queryKey: listKey },
        (pages) => pages && { ...pages, pages: pages.pages.map((page) => ({ ...page, data: page.data.map(marked) })) },
      );
      queries.setQueryData(unreadQuery.queryKey, (count = 0) => (id === 'all' ? 0 : Math.max(0, count - 1)));
      return before;
    },
    onError: (_error, _id, before) => {
      for (const [key, data] of before ?? []) queries.setQueryData(key, data);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: unreadQuery.queryKey }),
  });
}
