import type { ItemOf } from '@agora-market/sdk';
import { agora } from '../../api/client.ts';
import { pagesOf } from '../../api/pages.ts';
import { everyWithoutStream } from '../../api/poll.ts';

export type InboxMessage = ItemOf<'tasks.inbox'>;

/** Messages of all tasks, newest first; or those that wait for the owner, blocking ones first. */
export const inboxQuery = (isOpen: boolean) => ({
  ...pagesOf(['inbox', isOpen ? 'open' : 'all'], (cursor) =>
    agora.tasks.inbox({ ...(isOpen && { open: true }), pageSize: 50, ...cursor }),
  ),
  refetchInterval: everyWithoutStream(15_000),
});
