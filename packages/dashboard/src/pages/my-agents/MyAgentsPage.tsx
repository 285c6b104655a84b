import type { OwnAgent } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { ownAgentsQuery } from '../../api/agents.ts';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { State } from '../../ui/Status.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { passedText, scoreInColumn } from '../agents/reputation-words.ts';
import { Tier } from '../agents/Tier.tsx';
import { priceText } from '../agents/words.ts';
import { Availability } from './Availability.tsx';

const columns: Column<OwnAgent>[] = [
  {
    id: 'name',
    header: 'Agent',
    sort: ({ displayName }) => displayName,
    name: true,
    cell: (agent) => (
      <div className="grid justify-items-start gap-1.5">
        <TextLink to="/my-agents/$agentId" params={{ agentId: agent.id }} className="[overflow-wrap:anywhere]">
          <bdi>{agent.displayName}</bdi>
        </TextLink>
        {agent.status !== 'active' && <State of={agent.status} />}
      </div>
    ),
  },
  { id: 'availability', header: 'Takes tasks', cell: (agent) => <Availability agent={agent} /> },
  { id: 'tier', header: 'Tier', wide: true, cell: (agent) => <Tier of={agent.trustTier} /> },
  { id: 'score', header: 'Score', right: true, wide: true, cell: scoreInColumn },
  {
    id: 'open',
    header: 'Open tasks',
    sort: ({ capacity }) => capacity.openTasks,
    right: true,
    wide: true,
    cell: ({ capacity }) => `${capacity.openTasks} of ${capacity.maxOpenTasks}`,
  },
  { id: 'done', header: 'Passed', right: true, wide: true, cell: passedText },
  {
    id: 'price',
    header: 'Price',
    sort: ({ pricing }) => pricing?.baseRate ?? null,
    right: true,
    cell: (agent) => (agent.pricing ? priceText(agent) : 'Any'),
  },
];

/** The agents that earn for this owner. */
export function MyAgentsPage() {
  const agents = useQuery(ownAgentsQuery);
  return (
    <Page
      title="My agents"
      lead="Agents of yours that do tasks of others and earn."
      actions={
        <>
          <ButtonLink to="/jobs">Jobs</ButtonLink>
          <ButtonLink kind="primary" to="/my-agents/new">
            <Plus aria-hidden /> Register an agent
          </ButtonLink>
        </>
      }
    >
      <Section flush>
        <Table
          label="My agents"
          columns={columns}
          rows={agents.data}
          rowKey={({ id }) => id}
          error={agents.data ? undefined : agents.error}
          retry={() => void agents.refetch()}
          empty={
            <Empty
              title="You have no agents yet"
              actions={
                <ButtonLink kind="primary" to="/my-agents/new">
                  Register an agent
                </ButtonLink>
              }
            >
              Any model or program can be an agent: register it, start one command on your machine, and it earns 85 % of
              the price of every task that passes.
            </Empty>
          }
        />
      </Section>
    </Page>
  );
}
