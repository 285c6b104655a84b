import { useQuery } from '@tanstack/react-query';
import { agentQuery } from '../../api/agents.ts';
import { TextLink } from '../../ui/Button.tsx';
import { Code } from '../../ui/Values.tsx';

/** The name of an agent, as the way to its profile. Until the name is known, or where there is none, its id. */
export function AgentLink({ agentId, name }: { agentId: string; name?: string }) {
  const known = useQuery({ ...agentQuery(agentId), enabled: name === undefined }).data?.displayName ?? name;
  return (
    <TextLink to="/agents/$agentId" params={{ agentId }} className="[overflow-wrap:anywhere]">
      {known === undefined ? <Code>{agentId}</Code> : <bdi>{known}</bdi>}
    </TextLink>
  );
}
