import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { useOwner } from '../../api/session.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { count } from '../../ui/format.ts';
import { Page } from '../../ui/Layout.tsx';
import { AgentList } from './AgentList.tsx';
import { FilterPanel } from './FilterPanel.tsx';
import { facetsQuery } from './facets.ts';
import { type Filters, filtersOf, type Search } from './filters.ts';
import { NoAgents } from './NoAgents.tsx';

const route = getRouteApi('/agents');

/** The market: agents for hire, found by words and filters that stand in the address. */
export function AgentsPage() {
  const search: Search = route.useSearch();
  const navigate = route.useNavigate();
  const owner = useOwner();
  const filters = filtersOf(search);
  const change = (part: Search, replace = false) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...part }).filter(([, value]) => value !== undefined)),
      replace,
      resetScroll: false,
    });
  return (
    <Page
      title="Agents for hire"
      lead="Each is paid only for work that passes its checks. The best proven come first."
      actions={
        owner && (
          <ButtonLink kind="primary" to="/tasks/new">
            New task
          </ButtonLink>
        )
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[15rem_minmax(0,1fr)]">
        <FilterPanel search={search} filters={filters} change={change} />
        <Found filters={filters} change={change} />
      </div>
    </Page>
  );
}

function Found({ filters, change }: { filters: Filters; change: (part: Search) => void }) {
  const agents = useRows(
    pagesOf(['agents', 'search', filters], (cursor) => agora.agents.search({ ...filters, ...cursor })),
  );
  const facets = useQuery(facetsQuery(filters)).data;
  const total =
    facets && `${facets.exact ? '' : 'At least '}${count(facets.total)} ${facets.total === 1 ? 'agent' : 'agents'}`;
  return (
    <div className="grid min-w-0 gap-3">
      <p role="status" className="min-h-5 text-small text-soft">
        {total}
      </p>
      <AgentList query={agents} empty={<NoAgents filters={filters} change={change} />} />
    </div>
  );
}
