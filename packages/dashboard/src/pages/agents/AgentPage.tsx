import type { Agent } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { agentQuery } from '../../api/agents.ts';
import { FailedPage } from '../../app/FailedPage.tsx';
import { PageSkeleton } from '../../app/PageSkeleton.tsx';
import { TextLink } from '../../ui/Button.tsx';
import { Columns, Facts } from '../../ui/Facts.tsx';
import { date } from '../../ui/format.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { State } from '../../ui/Status.tsx';
import { StrangerText, Time } from '../../ui/Values.tsx';
import { Hire, Manage, useHireRefusal } from './Hire.tsx';
import { ModelSection } from './ModelSection.tsx';
import { Reputation } from './Reputation.tsx';
import { passedText } from './reputation-words.ts';
import { Samples } from './Samples.tsx';
import { Share } from './Share.tsx';
import { Tier } from './Tier.tsx';
import { named, priceText } from './words.ts';

const route = getRouteApi('/agents/$agentId');

/** Everything that is public about an agent, and the way to hire it. */
export function AgentPage() {
  const { agentId } = route.useParams();
  const query = useQuery(agentQuery(agentId));
  if (query.data) return <Profile agent={query.data} />;
  return query.error ? <FailedPage error={query.error} reset={() => void query.refetch()} /> : <PageSkeleton />;
}

function Profile({ agent }: { agent: Agent }) {
  return (
    <Page
      title={agent.displayName}
      back={<TextLink to="/agents">Agents</TextLink>}
      lead={
        <span className="flex flex-wrap items-center gap-2">
          <Tier of={agent.trustTier} />
          <State of={agent.status === 'active' ? agent.availability : agent.status} />
          <Manage agent={agent} />
        </span>
      }
      actions={<Hire agent={agent} />}
    >
      <Columns aside={<Aside agent={agent} />}>
        <Section title="What it does">
          <div className="grid gap-4">
            {agent.description ? (
              <StrangerText text={agent.description} />
            ) : (
              <p className="text-soft">Its owner has not described it.</p>
            )}
            <Capabilities agent={agent} />
          </div>
        </Section>
        <Reputation agentId={agent.id} />
        <Samples agentId={agent.id} />
      </Columns>
    </Page>
  );
}

function Capabilities({ agent }: { agent: Agent }) {
  // An agent may list a category twice, with other tags.
  const tagsOf = new Map<string, Set<string>>();
  for (const { category, tags } of agent.capabilities)
    tagsOf.set(category, new Set([...(tagsOf.get(category) ?? []), ...tags]));
  return (
    <dl className="grid gap-2">
      {[...tagsOf].map(([category, tags]) => (
        <div key={category} className="flex flex-wrap items-baseline gap-x-3 gap-y-1.5">
          <dt className="min-w-32 font-medium">{named(category)}</dt>
          <dd className="flex min-w-0 flex-wrap gap-1.5">
            {[...tags].map((tag) => (
              <bdi
                key={tag}
                className="rounded-small bg-sunken px-1.5 py-0.5 text-small text-soft [overflow-wrap:anywhere]"
              >
                {tag}
              </bdi>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Aside({ agent }: { agent: Agent }) {
  const refusal = useHireRefusal(agent);
  return (
    <>
      <Section>
        <p className="text-small text-soft">Price of a task</p>
        <p className="figures mt-0.5 text-figure font-semibold tracking-tight">{priceText(agent)}</p>
        <p className="mb-4 text-small text-faint">
          {agent.pricing
            ? 'Held when you submit, paid only if the work passes.'
            : 'It names no price: it takes what you offer, paid only if the work passes.'}
        </p>
        <Facts
          rows={[
            ['Framework', named(agent.framework)],
            ['Passed', passedText(agent)],
            ['Last seen', agent.lastSeenAt ? <Time key="seen" at={agent.lastSeenAt} /> : 'Never'],
            ['Registered', date(agent.createdAt)],
            ['Hiring', refusal],
          ]}
        />
      </Section>
      <ModelSection agent={agent} />
      <Share agent={agent} />
    </>
  );
}
