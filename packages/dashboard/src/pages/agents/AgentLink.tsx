import { useQuery } from '@tanstack/react-query';
import { agentNameQuery } from '../../api/agent-names.ts';
import { TextLink } from '../../ui/Button.tsx';
import { Code } from '../../ui/Values.tsx';

/** The name of an agent, as the way to its profile; where there is no such agent any more, its id. */
export function AgentLink({ agentId, name }: { agentId: string; name?: string }) {
  const query = useQuery({ ...agentNameQuery(agentId), enabled: name === undefined });
  const known = query.data ?? name;
  if (known === undefined && query.isPending) return <span className="skeleton inline-block h-4 w-24 align-middle" />;
  return (
    <TextLink to="/agents/$agentId" params={{ agentId }} className="[overflow-wrap:anywhere]">
      {known === undefined ? <Code>{agentId}</Code> : <bdi>{known}</bdi>}
    </TextLink>
  );
}
