import type { OwnAgent } from '@agora-market/sdk';
import { queryOptions } from '@tanstack/react-query';
import { agora } from './client.ts';
import { queryClient } from './query-client.ts';

/** The public profile of any agent. */
export const agentQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agents', 'profile', agentId],
    queryFn: () => agora.agents.get(agentId),
    staleTime: 60_000,
  });

/** All own agents, newest first: an owner has at most a thousand. */
export const ownAgentsQuery = queryOptions({
  queryKey: ['my-agents'],
  queryFn: async (): Promise<OwnAgent[]> => {
    const agents: OwnAgent[] = [];
    for await (const agent of agora.agents.listOwn({ pageSize: 100 })) agents.push(agent);
    return agents;
  },
});

/** Puts the profile that a change returned into every list that shows it. */
export function keepOwnAgent(changed: OwnAgent): void {
  queryClient.setQueryData(ownAgentsQuery.queryKey, (before) =>
    before?.map((agent) => (agent.id === changed.id ? changed : agent)),
  );
  void queryClient.invalidateQueries({ queryKey: ['agents'] });
}
