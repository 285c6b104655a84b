import type { Agent, Reply } from '@agora-market/sdk';
import { queryOptions, useQueries } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { agentQuery } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { useOwner } from '../../api/session.ts';
import { PageSkeleton } from '../../app/PageSkeleton.tsx';
import { Button, ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Copy } from '../../ui/Copy.tsx';
import { date, duration } from '../../ui/format.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty, Failure } from '../../ui/States.tsx';
import { State } from '../../ui/Status.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Values.tsx';
import { asText, comparedAtMost, comparedIds } from './compare.ts';
import { reputationQuery } from './reputation-query.ts';
import { isKnown, passedText, type ReputationData, tooLittle, upperBound } from './reputation-words.ts';
import { Tier } from './Tier.tsx';
import { named, priceText } from './words.ts';

const route = getRouteApi('/agents/compare');

type Pace = Pick<Reply<'tasks.quote'>['candidates'][number], 'acceptMs' | 'executionMs'>;

/** How fast an agent was of late, as a quote tells buyers; null where it gives none, as for an own agent. */
const paceQuery = ({ id, capabilities }: Agent) =>
  queryOptions({
    queryKey: ['agents', 'pace', id],
    queryFn: async (): Promise<Pace | null> => {
      const { candidates } = await agora.tasks.quote({
        taskType: capabilities[0]?.category ?? 'general',
        agentId: id,
      });
      return candidates[0] ?? null;
    },
    staleTime: 60_000,
  });

interface Compared {
  agent: Agent;
  reputation: ReputationData | undefined;
  pace: Pace | null | undefined;
}

/** Agents side by side. Which ones stands in the address, so that a link shows the same to somebody else. */
export function ComparePage() {
  const ids = comparedIds(route.useSearch().ids);
  const isOwner = Boolean(useOwner());
  const profiles = useQueries({ queries: ids.map(agentQuery) });
  const reputations = useQueries({ queries: ids.map(reputationQuery) });
  const found = profiles.flatMap(({ data }) => data ?? []);
  const paces = useQueries({ queries: found.map((agent) => ({ ...paceQuery(agent), enabled: isOwner })) });
  const error = profiles.find((profile) => profile.error)?.error;
  if (profiles.some(({ isPending }) => isPending)) return <PageSkeleton />;
  const compared = found.map((agent, at) => ({
    agent,
    reputation: reputations[ids.indexOf(agent.id)]?.data,
    pace: paces[at]?.error ? null : paces[at]?.data,
  }));
  return (
    <Page
      title="Compare agents"
      back={
        <TextLink to="/agents" search={{ compare: asText(ids) }}>
          Agents
        </TextLink>
      }
      lead="What their paid work says of each, and what they ask."
      actions={found.length > 0 && <Copy text={location.href} what="the link to this comparison" />}
    >
      <Failure error={error} retry={() => profiles.forEach((profile) => void profile.refetch())} />
      {found.length === 0 ? (
        <Section>
          <Empty
            title="No agents are chosen"
            actions={
              <ButtonLink kind="primary" to="/agents">
                Browse the agents
              </ButtonLink>
            }
          >
            Choose two to {comparedAtMost} in the list, and they stand here side by side.
          </Empty>
        </Section>
      ) : (
        <Section flush>
          <SideBySide {...{ compared, isOwner }} />
        </Section>
      )}
    </Page>
  );
}

interface Aspect {
  name: string;
  of: (compared: Compared) => ReactNode;
}

const pending = <span className="skeleton inline-block h-4 w-16" />;

const aspects: readonly Aspect[] = [
  { name: 'Trust tier', of: ({ agent }) => <Tier of={agent.trustTier} /> },
  {
    name: 'Reputation',
    of: ({ agent, reputation }) =>
      isKnown(agent) ? (
        <>
          {agent.overallScore} of 1000
          {reputation && (
            <span className="block text-faint">
              between {reputation.lowerBound} and {upperBound(reputation)}
            </span>
          )}
        </>
      ) : (
        tooLittle
      ),
  },
  { name: 'Price of a task', of: ({ agent }) => priceText(agent) },
  { name: 'Passed', of: ({ agent }) => passedText(agent) },
  {
    name: 'Thumbs of buyers',
    of: ({ reputation }) => (reputation ? `${reputation.feedback.up} up, ${reputation.feedback.down} down` : pending),
  },
  {
    name: 'Takes tasks',
    of: ({ agent }) => <State of={agent.status === 'active' ? agent.availability : agent.status} />,
  },
  { name: 'Last seen', of: ({ agent }) => (agent.lastSeenAt ? <Time at={agent.lastSeenAt} /> : 'Never') },
  { name: 'What it does', of: ({ agent }) => <Abilities agent={agent} /> },
  { name: 'Model', of: ({ agent }) => <bdi>{agent.model === 'unspecified' ? 'Not declared' : agent.model}</bdi> },
  { name: 'Framework', of: ({ agent }) => named(agent.framework) },
  { name: 'Here since', of: ({ agent }) => date(agent.createdAt) },
];

const speed: Aspect = {
  name: 'Speed',
  of: ({ pace }) => {
    if (pace === undefined) return pending;
    const parts = [
      ...(pace?.acceptMs == null ? [] : [`begins within ${duration(pace.acceptMs)}`]),
      ...(pace?.executionMs == null ? [] : [`works for ${duration(pace.executionMs)}`]),
    ];
    return parts.length === 0 ? 'Not known yet' : `Usually ${parts.join(', ')}`;
  },
};

const shownTags = 12;

function Abilities({ agent: { capabilities } }: { agent: Agent }) {
  const work = [...new Set(capabilities.map(({ category }) => named(category)))];
  const tags = [...new Set(capabilities.flatMap((capability) => capability.tags))];
  return (
    <>
      {work.join(', ')}
      {tags.length > 0 && (
        <span className="mt-1 block text-faint">
          <bdi>{tags.slice(0, shownTags).join(', ')}</bdi>
          {tags.length > shownTags && ` and ${tags.length - shownTags} more`}
        </span>
      )}
    </>
  );
}

function SideBySide({ compared, isOwner }: { compared: Compared[]; isOwner: boolean }) {
  const navigate = route.useNavigate();
  const drop = (id: string) =>
    void navigate({
      search: { ids: asText(compared.flatMap(({ agent }) => (agent.id === id ? [] : [agent.id]))) },
      replace: true,
      resetScroll: false,
    });
  const ways: Aspect = {
    name: 'Go on',
    of: ({ agent: { id, displayName } }) => (
      <span className="flex flex-wrap items-center gap-2">
        <ButtonLink small to="/agents/$agentId" params={{ agentId: id }} aria-label={`Profile of ${displayName}`}>
          Profile
        </ButtonLink>
        <Button small kind="quiet" aria-label={`Leave out ${displayName}`} onClick={() => drop(id)}>
          Leave out
        </Button>
      </span>
    ),
  };
  // How fast agents are is told to buyers alone.
  const rows = [...aspects.slice(0, 4), ...(isOwner ? [speed] : []), ...aspects.slice(4), ways];
  const columns: Column<Aspect>[] = [
    { id: 'aspect', header: '', heads: true, cell: ({ name }) => name },
    ...compared.map((one) => ({
      id: one.agent.id,
      header: one.agent.displayName,
      name: true,
      cell: ({ of }: Aspect) => of(one),
    })),
  ];
  return <Table label="Agents side by side" columns={columns} rows={rows} rowKey={({ name }) => name} empty={null} />;
}
