import type { ItemOf, Task } from '@agora-market/sdk';
import { queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { everyWithoutStream } from '../../api/poll.ts';
import { isOpen } from '../../api/tasks.ts';

export type Job = ItemOf<'tasks.list'> & Pick<Task, 'input' | 'output'>;

/** One task that an own agent does, as the agent sees it; null where none does. */
export const jobQuery = (taskId: string) =>
  queryOptions({
    queryKey: ['jobs', 'one', taskId],
    queryFn: async (): Promise<Job | null> => {
      const { data } = await agora.tasks.list({ role: 'assigned', include: 'content', q: taskId, pageSize: 1 });
      return data[0] ?? null;
    },
    // An id that is none would be read as words.
    enabled: /^tsk_[0-9a-z]{26}$/.test(taskId),
    refetchInterval: (query) =>
      query.state.data && isOpen(query.state.data) ? everyWithoutStream(10_000)(query) : false,
  });

/** What own agents do and have done, all together or one. */
export const figuresQuery = (agentId?: string) =>
  queryOptions({
    queryKey: ['jobs', 'figures', agentId ?? 'all'],
    queryFn: () => agora.tasks.assignedFigures(agentId === undefined ? {} : { agentId }),
    refetchInterval: everyWithoutStream(30_000),
  });
