import type { ItemOf, Reply } from '@agora/sdk';
import { queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';

export type OverviewData = Reply<'embassy.overview'>;
export type Task = ItemOf<'tasks.list'>;

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

/** The newest tasks: those under way, and what came of the others. */
export const newestTasksQuery = queryOptions({
  queryKey: ['tasks', 'overview'],
  queryFn: async () => (await agora.tasks.list({ pageSize: 50 })).data,
  refetchInterval: 20_000,
});

/** What a task was asked for, in its first words. */
export function titleOf({ input, taskType }: Pick<Task, 'input' | 'taskType'>): string | null {
  const { description } = input;
  if (typeof description !== 'string') return null;
  const line = description.split('\n').find((each) => each.trim() !== '');
  return line ? line.replace(/^#+ /, '').trim().slice(0, 120) : taskType;
}
