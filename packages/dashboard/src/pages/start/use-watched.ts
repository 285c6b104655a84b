import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { agora, queryClient } from '../../api/client.ts';
import { isOpen, taskQuery } from '../../api/tasks.ts';
import type { TaskRow } from './overview-data.ts';

/** One task of the overview, read anew at each event of its stream until it has ended. The overview follows its end. */
export function useWatched(row: TaskRow) {
  const taskId = row.id;
  const task = useQuery({ ...taskQuery(taskId), queryKey: [...taskQuery(taskId).queryKey, 'first-run'] });
  const { refetch } = task;
  const hasEnded = task.data !== undefined && !isOpen(task.data);
  useEffect(() => {
    if (hasEnded) return;
    const leaving = new AbortController();
    const follow = async () => {
      for await (const _ of agora.tasks.stream(taskId, { signal: leaving.signal })) await refetch();
      await refetch();
    };
    // A stream that breaks for good leaves the page as it is; the overview asks again by itself.
    follow().catch(() => {});
    return () => leaving.abort();
  }, [taskId, hasEnded, refetch]);
  // Told by what was read, not by the stream: that is left as soon as the end is known. The very first read may be the end.
  const isBehind = hasEnded && isOpen(row);
  useEffect(() => {
    if (isBehind) void queryClient.invalidateQueries({ queryKey: ['tasks', 'overview'] });
  }, [isBehind]);
  return task;
}
