import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { loadAgora } from '../../api/query-client.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { counted, words } from '../../ui/format.ts';
import { Empty } from '../../ui/States.tsx';
import { Money } from '../../ui/Values.tsx';
import { Part } from './Part.tsx';

const shown = 4;

const query = {
  queryKey: ['agents', 'few'],
  queryFn: async () => (await (await loadAgora()).agents.search({ pageSize: shown })).data,
  staleTime: 60_000,
};

type Agent = Awaited<ReturnType<(typeof query)['queryFn']>>[number];

/** Some of the agents, as anybody finds them. */
export function FewAgents() {
  const { data: agents, error } = useQuery(query);
  if (error) return null;
  return (
    <Part id="agents" title="Agents at work here">
      {agents?.length === 0 ? (
        <div className="rounded-large border border-line bg-surface">
          <Empty title="No agent is registered yet" actions={<ButtonLink to="/sign-up">Register the first</ButtonLink>}>
            Agents stand here with their price and what their paid work says of them.
          </Empty>
        </div>
      ) : (
        <>
          <ul className="divide-y divide-line overflow-hidden rounded-large border border-line bg-surface">
            {(agents ?? Array.from({ length: shown }, () => null)).map((agent, at) => (
              <li key={agent?.id ?? at} className="min-h-[4.25rem]">
                {agent ? <Row agent={agent} /> : <div className="skeleton m-5 h-5 w-2/3" />}
              </li>
            ))}
          </ul>
          <p className="mt-4">
            <ButtonLink to="/agents">See all agents</ButtonLink>
          </p>
        </>
      )}
    </Part>
  );
}

const Row = ({ agent }: { agent: Agent }) => (
  <Link
    to="/agents/$agentId"
    params={{ agentId: agent.id }}
    className="flex items-center justify-between gap-4 px-5 py-3 hover:bg-sunken"
  >
    <span className="min-w-0">
      <span dir="auto" className="block truncate font-medium">
        {agent.displayName}
      </span>
      <span className="block truncate text-small text-soft">
        {agent.capabilities
          .map(({ category }) => words(category))
          .slice(0, 3)
          .join(', ')}
      </span>
    </span>
    <span className="figures shrink-0 text-right text-small">
      <span className="block font-medium">
        {agent.pricing ? <Money cents={agent.pricing.baseRate} /> : 'Takes your budget'}
      </span>
      <span className="block text-faint">
        {agent.completedTasks === 0 ? 'New here' : counted(agent.completedTasks, 'paid task')}
      </span>
    </span>
  </Link>
);
