import type { TaskStatus } from '@agora-market/contract';
import { AgoraError, type ItemOf, type Task } from '@agora-market/sdk';
import { type QueryKey, queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { atMostEvery } from '../../api/at-most-every.ts';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { refreshMoney } from '../../api/refresh-money.ts';
import { isOpen, taskQuery } from '../../api/tasks.ts';

export type TaskEvent = ItemOf<'tasks.events'>;

interface Page<T> {
  /** Cursor by which the page was read. */
  from: string | null;
  items: T[];
}

type Read<T> = (page: { pageSize: number; cursor?: string }) => Promise<{
  data: T[];
  pagination: { nextCursor: string | null };
}>;

/** Reads a log that only grows: again from its last page, or from the first page with an item that may still change. */
async function readOn<T>(
  queryKey: QueryKey,
  read: Read<T>,
  mayChange: (item: T) => boolean = () => false,
): Promise<Page<T>[]> {
  const before = queryClient.getQueryData<Page<T>[]>(queryKey) ?? [];
  const firstOpen = before.findIndex(({ items }) => items.some(mayChange));
  const pages = before.slice(0, firstOpen === -1 ? -1 : firstOpen);
  for (let from = before[pages.length]?.from ?? null; ; ) {
    const { data, pagination } = await read({ pageSize: 100, ...(from && { cursor: from }) });
    pages.push({ from, items: data });
    if (pagination.nextCursor === null) return pages;
    from = pagination.nextCursor;
  }
}

const itemsOf = <T>(pages: readonly Page<T>[]): T[] => pages.flatMap(({ items }) => items);

const eventsKey = (taskId: string) => [...taskQuery(taskId).queryKey, 'events'] as const;

/** The whole log of a task. */
export const eventsQuery = (taskId: string) =>
  queryOptions({
    queryKey: eventsKey(taskId),
    queryFn: () => readOn<TaskEvent>(eventsKey(taskId), (page) => agora.tasks.events(taskId, page)),
    select: itemsOf,
  });

/** A command appears within this many ms while the agent works; no stream tells of it. */
const commandsEveryMs = 4_000;

type Command = ItemOf<'tasks.commands'>;

const isRunning = ({ running }: Command) => running;

/** What the agent ran in its sandbox. */
export const commandsQuery = ({ id, status }: Pick<Task, 'id' | 'status'>) => {
  // With the status: what the last commands came to is stored a moment after them.
  const queryKey = [...taskQuery(id).queryKey, 'commands', status];
  return queryOptions({
    queryKey,
    queryFn: () => readOn<Command>(queryKey, (page) => agora.tasks.commands(id, page), isRunning),
    select: itemsOf,
    placeholderData: (before) => before,
    refetchInterval: ({ state }) =>
      status === 'executing' || itemsOf(state.data ?? []).some(isRunning) ? commandsEveryMs : false,
  });
};

/** All messages of a task; each party has a bounded number of them. */
export const messagesQuery = (taskId: string) =>
  queryOptions({
    queryKey: [...taskQuery(taskId).queryKey, 'messages'],
    queryFn: () => Array.fromAsync(agora.tasks.listMessages(taskId, { pageSize: 100 })),
  });

export interface Progress {
  percent: number | null;
  message: string | null;
}

const progressKey = (taskId: string) => ['task-progress', taskId] as const;

/** The last progress note, as the stream told it. */
export const useProgress = (taskId: string): Progress | null =>
  useQuery({
    queryKey: progressKey(taskId),
    queryFn: (): Progress | null => null,
    staleTime: 'static',
  }).data ?? null;

/** A status later in this order is newer; a stream begins with those that are past. */
const order: readonly TaskStatus[] = [
  'submitted',
  'routing',
  'executing',
  'quality_check',
  'completed',
  'failed',
  'refunded',
];

/**
 * Whether a status is news. One of an open task is shown at once; an end comes with its times and its price. A task
 * that is passed on to another agent is in routing as before.
 */
function showStatus(taskId: string, status: TaskStatus): boolean {
  const { queryKey } = taskQuery(taskId);
  const shown = queryClient.getQueryData(queryKey);
  if (status === 'routing' && shown?.status === 'routing') return true;
  if (!shown || order.indexOf(status) <= order.indexOf(shown.status)) return false;
  if (isOpen({ status })) queryClient.setQueryData(queryKey, { ...shown, status });
  return true;
}

const refresh = (taskId: string) => {
  // With its agent or its end, questions are open no more.
  refreshTalk(taskId);
  // What a task holds, costs or gives back moves with its status.
  refreshMoney();
};
const refreshLog = (taskId: string) => void queryClient.invalidateQueries({ queryKey: eventsKey(taskId) });
/** With the task itself, which waits for an answer or does so no more. */
const refreshTalk = (taskId: string) => {
  void queryClient.invalidateQueries({ queryKey: taskQuery(taskId).queryKey, exact: true });
  void queryClient.invalidateQueries({ queryKey: messagesQuery(taskId).queryKey });
  refreshLog(taskId);
};

/** Notes can come by the second; the log is read every few seconds. */
const logEveryMs = 4_000;
/** A stream begins with all messages that are past. */
const talkEveryMs = 1_000;

/** Follows a task's stream until the task has ended. */
async function follow(taskId: string, signal: AbortSignal): Promise<void> {
  const refreshLogSoon = atMostEvery(logEveryMs, () => refreshLog(taskId), signal);
  const refreshTalkSoon = atMostEvery(talkEveryMs, () => refreshTalk(taskId), signal);
  for await (const { event, data } of agora.tasks.stream(taskId, { signal })) {
    if (event === 'status') {
      if (showStatus(taskId, data.status)) refresh(taskId);
    } else if (event === 'progress') {
      queryClient.setQueryData<Progress | null>(progressKey(taskId), (before) => ({
        percent: data.percent ?? before?.percent ?? null,
        message: data.message ?? before?.message ?? null,
      }));
      refreshLogSoon();
    } else if (event === 'message' || event === 'unanswered') refreshTalkSoon();
    else refresh(taskId);
  }
}

/** Between two looks while the stream stands, and without it, in ms. */
const looks = { beside: 20_000, instead: 5_000 };

/** A pull request is opened after the task has ended, and with it the stream. */
function nextLook(task: Task | undefined, hasStream: boolean): number | false {
  if (task?.pullRequest?.status === 'pending' && !isOpen(task)) return looks.instead;
  if (!task || !isOpen(task)) return false;
  return hasStream ? looks.beside : looks.instead;
}

/** A task that is kept up to date by its stream; where there is none, by looking. */
export function useLiveTask(taskId: string) {
  const [hasStream, setHasStream] = useState(true);
  const query = useQuery({
    ...taskQuery(taskId),
    refetchInterval: ({ state }) => nextLook(state.data, hasStream),
  });
  const isFollowed = query.data !== undefined && isOpen(query.data);
  useEffect(() => {
    if (!isFollowed) return;
    const left = new AbortController();
    setHasStream(true);
    follow(taskId, left.signal).catch((error: unknown) => {
      if (left.signal.aborted) return;
      setHasStream(false);
      if (!(error instanceof AgoraError)) throw error;
    });
    return () => left.abort();
  }, [taskId, isFollowed]);
  // What the stream would have told stands in the log.
  const { dataUpdatedAt } = query;
  useEffect(() => {
    if (!hasStream && dataUpdatedAt > 0) refreshLog(taskId);
  }, [hasStream, dataUpdatedAt, taskId]);
  return { ...query, hasStream };
}
