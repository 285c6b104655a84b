import type { ItemOf, Reply } from '@agora-market/sdk';
import { queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { pagesOf } from '../../api/pages.ts';
import { every } from '../../api/poll.ts';
import { queryClient } from '../../api/query-client.ts';

export type Schedule = Reply<'schedules.get'>;
export type ListedSchedule = ItemOf<'schedules.list'>;
export type Run = ItemOf<'schedules.listRuns'>;
export type ListedTemplate = ItemOf<'templates.list'>;

export const schedulesQuery = pagesOf(['schedules', 'list'], (cursor) =>
  agora.schedules.list({ pageSize: 50, ...cursor }),
);

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: ['schedules', 'one', id],
    queryFn: () => agora.schedules.get(id),
    refetchInterval: every(30_000),
  });

/** While one starts, they are asked for again; what it spends is known with its end. */
export const runsQuery = (id: string) =>
  pagesOf(['schedules', 'runs', id], (cursor) => agora.schedules.listRuns(id, cursor));

export const isStarting = (runs: readonly Run[] | undefined) =>
  runs?.some(({ status }) => status === 'starting') ?? false;

export const templatesQuery = pagesOf(['templates', 'list'], (cursor) =>
  agora.templates.list({ pageSize: 100, ...cursor }),
);

/** Puts a schedule, as a reply told it, on its page, and asks anew for what follows from it. */
export function keepSchedule(schedule: Schedule): void {
  queryClient.setQueryData(scheduleQuery(schedule.id).queryKey, schedule);
  void queryClient.invalidateQueries({ queryKey: schedulesQuery.queryKey });
}
