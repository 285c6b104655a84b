import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { useOwner } from '../../api/session.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Choice } from '../../ui/Field.tsx';
import { count } from '../../ui/format.ts';
import { Page } from '../../ui/Layout.tsx';
import { tableOf } from '../../ui/Table.tsx';
import { AgentList, type ListProps } from './AgentList.tsx';
import { bestQuery } from './best-query.ts';
import { CompareBar } from './CompareBar.tsx';
import { asText, comparedIds, inOrder, type Order, orderChoices, orderOf } from './compare.ts';
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
        <Found search={search} filters={filters} change={change} />
      </div>
    </Page>
  );
}

interface FoundProps {
  search: Search;
  filters: Filters;
  change: (part: Search, replace?: boolean) => void;
}

function Found({ search, filters, change }: FoundProps) {
  const order = orderOf(search.sort);
  const chosen = comparedIds(search.compare);
  const facets = useQuery(facetsQuery(filters)).data;
  const total =
    facets && `${facets.exact ? '' : 'At least '}${count(facets.total)} ${facets.total === 1 ? 'agent' : 'agents'}`;
  const toggle = (id: string) => {
    const others = chosen.filter((one) => one !== id);
    change({ compare: asText(others.length === chosen.length ? [...chosen, id] : others) }, true);
  };
  const shared = { chosen, toggle, empty: <NoAgents filters={filters} change={change} /> };
  return (
    <div className="grid min-w-0 gap-3">
      <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <p role="status" className="min-h-5 text-small text-soft">
          {total}
        </p>
        <Choice
          label="Order"
          className="w-60 max-sm:w-full"
          value={order ?? ''}
          onChange={(event) => change({ sort: event.target.value || undefined })}
          options={orderChoices}
        />
      </div>
      {order ? <InOrder {...{ filters, order }} {...shared} /> : <BestFirst filters={filters} {...shared} />}
      <CompareBar ids={chosen} clear={() => change({ compare: undefined }, true)} />
    </div>
  );
}

type Shared = Pick<ListProps, 'chosen' | 'toggle' | 'empty'>;

function BestFirst({ filters, ...shared }: Shared & { filters: Filters }) {
  const agents = useRows(
    pagesOf(['agents', 'search', filters], (cursor) => agora.agents.search({ ...filters, ...cursor })),
  );
  return <AgentList {...tableOf(agents)} {...shared} />;
}

const shownAtOnce = 30;

/** The best in another order. The server knows no other, so it is that of the best alone, which is said. */
function InOrder({ filters, order, ...shared }: Shared & { filters: Filters; order: Order }) {
  const best = useQuery(bestQuery(filters));
  const [shown, setShown] = useState(shownAtOnce);
  const agents = best.data && inOrder(best.data.agents, order);
  return (
    <>
      {best.data && !best.data.isAll && (
        <p className="text-small text-faint">Of the {count(best.data.agents.length)} best proven that fit.</p>
      )}
      <AgentList
        rows={agents?.slice(0, shown)}
        error={best.data ? undefined : best.error}
        retry={() => void best.refetch()}
        more={{
          hasNextPage: (agents?.length ?? 0) > shown,
          isFetchingNextPage: false,
          isFetchNextPageError: false,
          error: null,
          fetchNextPage: () => setShown(shown + shownAtOnce),
        }}
        {...shared}
      />
    </>
  );
}
