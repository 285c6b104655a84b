import { terminalStatuses } from '@agora/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { agora } from '../../api/client.ts';
import { taskQuery } from '../../api/tasks.ts';

/** One task, read anew at each event of its stream until it has ended. */
export function useWatched(taskId: string, onEnd: () => void) {
  const task = useQuery({ ...taskQuery(taskId), queryKey: [...taskQuery(taskId).queryKey, 'first-run'] });
  const { refetch } = task;
  const hasEnded = task.data !== undefined && terminalStatuses.includes(task.data.status);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function at each render must not reopen the stream
  useEffect(() => {
    if (hasEnded) return;
    const leaving = new AbortController();
    const follow = async () => {
      for await (const _ of agora.tasks.stream(taskId, { signal: leaving.signal })) await refetch();
      await refetch();
      onEnd();
    };
    // A stream that breaks for good leaves the page as it is; the overview asks again by itself.
    follow().catch(() => {});
    return () => leaving.abort();
  }, [taskId, hasEnded, refetch]);
  return task;
}
