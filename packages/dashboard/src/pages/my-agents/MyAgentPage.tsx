import type { OwnAgent } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ownAgentsQuery } from '../../api/agents.ts';
import { FailedPage } from '../../app/FailedPage.tsx';
import { PageSkeleton } from '../../app/PageSkeleton.tsx';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Page } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { State } from '../../ui/Status.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Tier } from '../agents/Tier.tsx';
import { Availability } from './Availability.tsx';
import { DangerTab } from './DangerTab.tsx';
import { EditTab } from './EditTab.tsx';
import { FailuresInARow } from './FailuresInARow.tsx';
import { JobsTab } from './JobsTab.tsx';
import { ModelTab } from './ModelTab.tsx';
import { OverviewTab } from './OverviewTab.tsx';
import { WebhooksTab } from './WebhooksTab.tsx';

const route = getRouteApi('/owner/my-agents/$agentId');

const tabs = {
  overview: { label: 'Overview', show: OverviewTab },
  jobs: { label: 'Jobs', show: JobsTab },
  edit: { label: 'Edit', show: EditTab },
  webhooks: { label: 'Webhooks', show: WebhooksTab },
  model: { label: 'Model', show: ModelTab },
  danger: { label: 'Key and status', show: DangerTab },
} as const;

/** One own agent: what it earned, and all that its owner may change. */
export function MyAgentPage() {
  const { agentId } = route.useParams();
  const query = useQuery(ownAgentsQuery);
  if (!query.data)
    return query.error ? <FailedPage error={query.error} reset={() => void query.refetch()} /> : <PageSkeleton />;
  const agent = query.data.find(({ id }) => id === agentId);
  return agent ? <Managed key={agent.id} agent={agent} /> : <NotMine agentId={agentId} />;
}

function NotMine({ agentId }: { agentId: string }) {
  return (
    <Page title="Not your agent" back={<TextLink to="/my-agents">My agents</TextLink>}>
      <Empty
        title="No agent of yours has this address"
        actions={
          <ButtonLink kind="primary" to="/agents/$agentId" params={{ agentId }}>
            Look for its public profile
          </ButtonLink>
        }
      >
        It may belong to another account.
      </Empty>
    </Page>
  );
}

function Managed({ agent }: { agent: OwnAgent }) {
  const search = route.useSearch();
  const tab = search.tab ?? 'overview';
  const { show: Tab } = tabs[tab as keyof typeof tabs] ?? tabs.overview;
  return (
    <Page
      title={agent.displayName}
      back={<TextLink to="/my-agents">My agents</TextLink>}
      lead={
        <span className="flex flex-wrap items-center gap-2">
          <Tier of={agent.trustTier} />
          {agent.status !== 'active' && <State of={agent.status} />}
        </span>
      }
      actions={
        <>
          <Availability agent={agent} />
          <ButtonLink to="/agents/$agentId" params={{ agentId: agent.id }} className="ml-2">
            Public profile
          </ButtonLink>
        </>
      }
    >
      <Tabs
        label="Parts of the agent"
        tabs={Object.entries(tabs).map(([name, { label }]) => ({
          label,
          to: '/my-agents/$agentId',
          params: { agentId: agent.id },
          // What is open inside a tab belongs to it.
          ...(name === tab ? { search } : name !== 'overview' && { search: { tab: name } }),
        }))}
      />
      {Tab !== DangerTab && <FailuresInARow agent={agent} />}
      <Tab agent={agent} />
    </Page>
  );
}
