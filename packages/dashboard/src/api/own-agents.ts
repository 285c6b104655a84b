import type { OwnAgent } from '@agora/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { agora } from './client.ts';

/** All agents of the owner, newest first. */
export const ownAgentsQuery = queryOptions({
  queryKey: ['agents', 'own', 'all'],
  queryFn: async (): Promise<OwnAgent[]> => {
    const agents: OwnAgent[] = [];
    for await (const agent of agora.agents.listOwn({ pageSize: 100 })) agents.push(agent);
    return agents;
  },
  staleTime: 30_000,
});

/** The display name of any agent; undefined until it is known. */
export function useAgentName(agentId: string): string | undefined {
  const own = useQuery(ownAgentsQuery).data?.find(({ id }) => id === agentId);
  const other = useQuery({
    queryKey: ['agents', agentId, 'name'],
    queryFn: async () => (await agora.agents.get(agentId)).displayName,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: !own,
  }).data;
  return own?.displayName ?? other;
}
