import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { everyWithoutStream } from '../../api/poll.ts';
import { queryClient } from '../../api/query-client.ts';
import { isOpen, taskQuery } from '../../api/tasks.ts';
import { type TaskRow, tasksKey } from './overview-data.ts';

/** One task of the overview, read anew with its lists until it has ended. */
export function useWatched(row: TaskRow) {
  const query = taskQuery(row.id);
  const task = useQuery({
    ...query,
    queryKey: [...tasksKey, ...query.queryKey],
    refetchInterval: (asked) =>
      asked.state.data && isOpen(asked.state.data) ? everyWithoutStream(5_000)(asked) : false,
  });
  // The lists may have been read before the task ended, and the task after it.
  const isBehind = task.data !== undefined && !isOpen(task.data) && isOpen(row);
  useEffect(() => {
    if (isBehind) void queryClient.invalidateQueries({ queryKey: tasksKey });
  }, [isBehind]);
  return task;
}
