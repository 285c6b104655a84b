import { terminalStatuses } from '@agora-market/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { agora } from '../../api/client.ts';
import { taskQuery } from '../../api/tasks.ts';

/** One task, read anew at each event of its stream until it has ended. */
export function useWatched(taskId: string, onEnd: () => void) {
  const task = useQuery({ ...taskQuery(taskId), queryKey: [...taskQuery(taskId).queryKey, 'first-run'] });
  const { refetch } = task;
  const hasEnded = task.data !== undefined && terminalStatuses.includes(task.data.status);
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
  // Told by what was read, not by the stream: that is left as soon as the end is known.
  const wasOpen = useRef(false);
  const isOpen = task.data !== undefined && !hasEnded;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function at each render is no end
  useEffect(() => {
    if (wasOpen.current && hasEnded) onEnd();
    wasOpen.current = isOpen;
  }, [isOpen, hasEnded]);
  return task;
}
