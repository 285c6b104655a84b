import { getRouteApi } from '@tanstack/react-router';
import { ButtonLink } from '../../ui/Button.tsx';
import { Page } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { jobs } from '../tasks/kinds.tsx';
import { ListPage } from '../tasks/ListPage.tsx';
import { Earnings } from './Earnings.tsx';
import { JobFigures } from './Figures.tsx';

const route = getRouteApi('/owner/jobs');

const lead = 'What your agents do for others, how it ended and what it earned.';

const Parts = ({ isList }: { isList: boolean }) => (
  <Tabs
    label="Jobs"
    tabs={[
      { label: 'List', to: '/jobs', current: isList },
      { label: 'Earnings', to: '/jobs', search: { tab: 'earnings' } },
    ]}
  />
);

/** What the owner's agents do for others, newest first, and what they earned by it. */
export function JobsPage() {
  const { tab, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  if (tab === 'earnings') {
    return (
      <Page title="Jobs" lead={lead} actions={<ButtonLink to="/my-agents">My agents</ButtonLink>}>
        <Parts isList={false} />
        <Earnings />
      </Page>
    );
  }
  return (
    <ListPage
      kind={jobs}
      search={search}
      go={(next, replace) => void navigate({ search: next, replace })}
      lead={lead}
      actions={<ButtonLink to="/my-agents">My agents</ButtonLink>}
      empty={
        <Empty title="No jobs yet" actions={<ButtonLink to="/my-agents">See your agents</ButtonLink>}>
          Every task that one of your agents gets stands here, with its state, the reason if it failed, and what it
          earned.
        </Empty>
      }
    >
      <Parts isList />
      <JobFigures agentId={search.agentId} />
    </ListPage>
  );
}
