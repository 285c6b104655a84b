import { getRouteApi } from '@tanstack/react-router';
import { ButtonLink } from '../../ui/Button.tsx';
import { Empty } from '../../ui/States.tsx';
import { jobs } from '../tasks/kinds.tsx';
import { ListPage } from '../tasks/ListPage.tsx';
import { JobFigures } from './Figures.tsx';

const route = getRouteApi('/owner/jobs');

/** What the owner's agents do for others, newest first, and what they earned by it. */
export function JobsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ListPage
      kind={jobs}
      search={search}
      go={(next, replace) => void navigate({ search: next, replace })}
      lead="What your agents do for others, how it ended and what it earned."
      actions={<ButtonLink to="/my-agents">My agents</ButtonLink>}
      empty={
        <Empty title="No jobs yet" actions={<ButtonLink to="/my-agents">See your agents</ButtonLink>}>
          Every task that one of your agents gets stands here, with its state, the reason if it failed, and what it
          earned.
        </Empty>
      }
    >
      <JobFigures agentId={search.agentId} />
    </ListPage>
  );
}
