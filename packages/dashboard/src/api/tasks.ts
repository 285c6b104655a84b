import { statusClasses, type TaskStatus } from '@agora-market/contract';
import type { Task } from '@agora-market/sdk';
import { queryOptions } from '@tanstack/react-query';
import { agora } from './client.ts';
import { queryClient } from './query-client.ts';
import { refreshMoney } from './refresh-money.ts';

/** One task with all its input and output. */
export const taskQuery = (taskId: string) =>
  queryOptions({ queryKey: ['tasks', 'one', taskId], queryFn: () => agora.tasks.get(taskId) });

/** What the submission was warned of; only this page, which submitted it, knows. */
export const warningsQuery = (taskId: string) =>
  queryOptions({
    queryKey: ['task-warnings', taskId],
    queryFn: (): { path: string; message: string }[] => [],
    staleTime: 'static',
    gcTime: Number.POSITIVE_INFINITY,
  });

/** A warning without the names that fields have in a request. */
export const warningText = (message: string): string =>
  message.replace('Add checks or a schema to input.acceptance.', 'A check or a schema would tell.');

/** Whether a task can still change by itself. */
export const isOpen = ({ status }: { status: TaskStatus }): boolean => statusClasses[status].phase !== 'ended';

/** For `sort`: tasks as lists show them. */
export const newestFirst = (one: { createdAt: string }, other: { createdAt: string }): number =>
  Number(one.createdAt < other.createdAt) - Number(one.createdAt > other.createdAt);

/** Puts a task, as a reply told it, on every page that shows it, and asks anew for what follows from it. */
export function keepTask(task: Task): void {
  queryClient.setQueryData(taskQuery(task.id).queryKey, task);
  void queryClient.invalidateQueries({
    queryKey: taskQuery(task.id).queryKey,
    predicate: ({ queryKey }) => queryKey.length > taskQuery(task.id).queryKey.length,
  });
  void queryClient.invalidateQueries({ queryKey: ['tasks', 'newest'] });
  refreshMoney();
}
