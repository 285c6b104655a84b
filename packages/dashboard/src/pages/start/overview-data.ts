import type { ItemOf, Reply } from '@agora-market/sdk';
import { queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { everyWithoutStream } from '../../api/poll.ts';
import { queryClient } from '../../api/query-client.ts';
import { refreshMoney } from '../../api/refresh-money.ts';
import { isOpen, newestFirst } from '../../api/tasks.ts';

export type OverviewData = Reply<'embassy.overview'>;

export type TaskRow = ItemOf<'tasks.list'>;

/** Figures of the account. */
export const overviewQuery = queryOptions({
  queryKey: ['overview', 'figures'],
  queryFn: () => agora.embassy.overview(),
  refetchInterval: everyWithoutStream(20_000),
});

export const pendingApprovalsQuery = queryOptions({
  queryKey: ['approvals', 'overview'],
  queryFn: async () => (await agora.embassy.listApprovals({ status: 'pending', pageSize: 5 })).data,
  refetchInterval: everyWithoutStream(30_000),
});

/** So many under way are shown, and so many results. */
export const shownAtMost = 8;

export const tasksKey = ['tasks', 'overview'];

/** The newest tasks, newest first, and with them those under way that are older. */
export const tasksQuery = queryOptions({
  queryKey: tasksKey,
  queryFn: async () => {
    const before = queryClient.getQueryData<TaskRow[]>(tasksKey);
    const lists = await Promise.all([
      agora.tasks.list({ pageSize: 2 * shownAtMost }),
      agora.tasks.list({ pageSize: shownAtMost, status: 'open' }),
    ]);
    const byId = new Map(lists.flatMap(({ data }) => data.map((task) => [task.id, task])));
    const rows = [...byId.values()].sort(newestFirst);
    // The figures may have been read while a task was still under way that these rows show as ended.
    if (before && rows.some((row) => !isOpen(row) && !isEndedIn(before, row.id))) refreshMoney();
    return rows;
  },
  refetchInterval: everyWithoutStream(20_000),
});

const isEndedIn = (rows: readonly TaskRow[], taskId: string) => rows.some((row) => row.id === taskId && !isOpen(row));
