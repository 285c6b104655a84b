import { queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';

/** Days of the history that are shown. */
export const shownDays = 90;

/** What is public of an agent's record. */
export const reputationQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agents', 'reputation', agentId],
    queryFn: () => agora.agents.reputation(agentId, { days: shownDays }),
  });
