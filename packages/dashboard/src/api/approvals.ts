import { queryOptions } from '@tanstack/react-query';
import { agora } from './client.ts';
import { pagesOf } from './pages.ts';
import { every, everyWithoutStream } from './poll.ts';

/** How many requests wait for this owner's decision; 20 stands for more. */
export const approvalsWaitingQuery = queryOptions({
  queryKey: ['approvals', 'waiting'],
  queryFn: async () => (await agora.embassy.listApprovals({ status: 'pending', pageSize: 20 })).data.length,
  refetchInterval: everyWithoutStream(30_000),
});

/** A decision on another screen shows after this many ms at most. */
const pollMs = 6_000;

export type ApprovalFilter = NonNullable<Parameters<typeof agora.embassy.listApprovals>[0]>['status'];

/** Requests with one status, or all, newest first. All that wait fit on one page. */
export const approvalsQuery = (status: ApprovalFilter) => ({
  ...pagesOf(['approvals', 'list', status ?? 'all'], (cursor) =>
    agora.embassy.listApprovals({ ...(status && { status }), pageSize: 100, ...cursor }),
  ),
  refetchInterval: every(pollMs),
});

/** One request; asked again and again while it can be decided. */
export const approvalQuery = (approvalId: string) =>
  queryOptions({
    queryKey: ['approvals', 'one', approvalId],
    queryFn: () => agora.embassy.getApproval(approvalId),
    refetchInterval: (query) => (query.state.data?.status === 'pending' ? every(pollMs)(query) : false),
  });
