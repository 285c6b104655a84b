import { useQuery } from '@tanstack/react-query';
import { agentQuery } from '../api/agents.ts';
import { TextLink } from '../ui/Button.tsx';

/** An agent by its name, as a link to its profile. Its id stands there until the name is known. */
export function AgentName({ agentId }: { agentId: string }) {
  const name = useAgentName(agentId);
  return (
    <TextLink to="/agents/$agentId" params={{ agentId }} dir="auto" className="[overflow-wrap:anywhere]">
      {name ?? agentId}
    </TextLink>
  );
}

/** The name of an agent; undefined until it is known, or where there is no such agent any more. */
export const useAgentName = (agentId: string): string | undefined =>
  useQuery({ ...agentQuery(agentId), staleTime: 60_000 }).data?.displayName;
