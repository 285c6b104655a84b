import { openStatuses } from '@agora-market/contract';
import type { Query, Reply, Task } from '@agora-market/sdk';
import { queryOptions } from '@tanstack/react-query';
import { agora, queryClient } from '../../api/client.ts';
import { isOpen, newestFirst } from '../../api/tasks.ts';
import { words } from '../../ui/format.ts';
import { isPassedOver } from '../tasks/TaskState.tsx';

export type OverviewData = Reply<'embassy.overview'>;

/** What a row shows. A task may carry half a megabyte, of which the page keeps nothing. */
export type TaskRow = ReturnType<typeof rowOf>;

/** Figures of the account, asked again while the page is open. */
export const overviewQuery = queryOptions({
  queryKey: ['overview', 'figures'],
  queryFn: () => agora.embassy.overview(),
  refetchInterval: 20_000,
});

export const pendingApprovalsQuery = queryOptions({
  queryKey: ['approvals', 'overview'],
  queryFn: async () => (await agora.embassy.listApprovals({ status: 'pending', pageSize: 5 })).data,
  refetchInterval: 30_000,
});

/** So many under way are shown, and so many results. */
export const shownAtMost = 8;

/** The newest tasks, newest first, and with them those under way that are older. */
export const tasksQuery = queryOptions({
  queryKey: ['tasks', 'overview'],
  queryFn: async () => {
    const [{ submitted }, newest] = await Promise.all([
      queryClient.fetchQuery(overviewQuery),
      rowsOf({ pageSize: 2 * shownAtMost }),
    ]);
    const isFull = newest.filter(isOpen).length >= shownAtMost;
    const lacking = openStatuses.filter(
      (status) => submitted[status] > newest.filter((row) => row.status === status).length,
    );
    const older = isFull ? [] : await Promise.all(lacking.map((status) => rowsOf({ status, pageSize: shownAtMost })));
    const byId = new Map([...newest, ...older.flat()].map((row) => [row.id, row]));
    return [...byId.values()].sort(newestFirst);
  },
  refetchInterval: 20_000,
});

const rowsOf = async (query: Query<'tasks.list'>) => (await agora.tasks.list(query)).data.map(rowOf);

const rowOf = (task: Task) => {
  const { id, taskType, status, createdAt, finishedAt, qualityScore, creditsCharged, price, maxBudget } = task;
  const title = titleOf(task) ?? words(taskType);
  const passedOver = isPassedOver(task);
  return {
    ...{ id, title, taskType, status, passedOver, createdAt, finishedAt, qualityScore },
    creditsCharged,
    price,
    maxBudget,
  };
};

/** What a task was asked for, in its first words. */
function titleOf({ input: { description } }: Task): string | undefined {
  if (typeof description !== 'string') return undefined;
  const line = description.split('\n').find((each) => each.trim() !== '');
  return line?.replace(/^#+ /, '').trim().slice(0, 120);
}
