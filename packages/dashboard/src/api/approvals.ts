import { queryOptions } from '@tanstack/react-query';
import { agora } from './client.ts';

/** How many requests wait for this owner's decision, asked every half minute; 20 stands for more. */
export const approvalsWaitingQuery = queryOptions({
  queryKey: ['approvals', 'waiting'],
  queryFn: async () => (await agora.embassy.listApprovals({ status: 'pending', pageSize: 20 })).data.length,
  refetchInterval: 30_000,
});
