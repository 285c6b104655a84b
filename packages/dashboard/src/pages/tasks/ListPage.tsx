import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useMemo, useRef, useState } from 'react';
import { isOpen } from '../../api/tasks.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { count } from '../../ui/format.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty, Failure, Skeleton } from '../../ui/States.tsx';
import type { Action } from './bulk/BulkBar.tsx';
import { mostSelected, type Selection, useSelection } from './bulk/use-selection.ts';
import { ColumnMenu, useColumns } from './columns.tsx';
import { Download } from './Download.tsx';
import { Filters } from './Filters.tsx';
import { filterOf, type RowsFilter, type TaskSearch } from './filters.ts';
import type { ListKind } from './kinds.tsx';
import { newestQuery, type RowsPage, rowsQuery, type TaskRow, unordered } from './rows.ts';
import { TaskList } from './TaskList.tsx';

const BulkBar = lazy(() => import('./bulk/BulkBar.tsx').then((module) => ({ default: module.BulkBar<TaskRow> })));

interface ListPageProps {
  kind: ListKind;
  search: TaskSearch;
  /** Changes the filters in the address as they then are; `replace`: without a new step for the back button. */
  go: (next: (before: TaskSearch) => TaskSearch, replace: boolean) => void;
  lead: string;
  actions?: ReactNode;
  /** What can be done with many of its rows. */
  bulk?: readonly Action<TaskRow>[];
  /** Stands in the place of a list that has nothing in it, whatever the filters. */
  empty: ReactNode;
  /** Stands above the filters. */
  children?: ReactNode;
}

/** A list of tasks with its filters, saved views and download. */
export function ListPage({ kind, search, go, lead, actions, bulk, empty, children }: ListPageProps) {
  const chosen = filterOf(search, kind.orders);
  const filter: RowsFilter = { ...kind.filter, ...chosen };
  const query = useInfiniteQuery(rowsQuery(filter));
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.rows), [query.data]);
  // What is new comes before the newest, so that a list of the oldest stays as it is.
  const isFollowed = rows !== undefined && filter.sort === undefined;
  const follow = { isLive: rows?.some(isOpen) ?? false, readAt: query.dataUpdatedAt };
  useQuery({ ...newestQuery(filter, follow), enabled: isFollowed });
  const change = (part: TaskSearch, replace = false) =>
    go(
      (before) => Object.fromEntries(Object.entries({ ...before, ...part }).filter(([, value]) => value !== undefined)),
      replace,
    );
  const isFiltered = Object.keys(chosen).length > 0;
  const columns = useColumns(kind);
  const selection = useSelection(rows ?? noRows, unordered(filter));
  const all = useAll(query, selection, unordered(filter));
  return (
    <Page
      title={kind.label}
      lead={lead}
      actions={
        <>
          {rows !== undefined && rows.length > 0 && <Download kind={kind} filter={filter} />}
          {actions}
        </>
      }
    >
      {children}
      <Filters kind={kind} search={search} change={change} open={(next) => go(() => next, false)}>
        <ColumnMenu kind={kind} {...columns} />
      </Filters>
      <Section flush>
        {rows === undefined ? (
          <div className="px-5 pb-4">
            {query.error ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Skeleton lines={8} />}
          </div>
        ) : rows.length > 0 ? (
          <TaskList
            key={unordered(filter)}
            {...{ kind, rows, query }}
            columns={columns.columns}
            selection={bulk && selection}
            sort={chosen.sort}
            sortBy={(sort) => change({ sort })}
          />
        ) : isFiltered ? (
          <NoneSuch kind={kind} />
        ) : (
          empty
        )}
      </Section>
      {bulk && (
        <Suspense>
          <BulkBar selection={selection} actions={bulk} all={all} />
        </Suspense>
      )}
    </Page>
  );
}

const noRows: TaskRow[] = [];

const sum = (data: InfiniteData<RowsPage> | undefined) =>
  data?.pages.reduce((before, { rows }) => before + rows.length, 0) ?? 0;

/** Loads the list as far as so much of it can be selected, and selects that; undefined where all is selected. */
function useAll(query: UseInfiniteQueryResult<InfiniteData<RowsPage>>, selection: Selection<TaskRow>, list: string) {
  const [busy, setBusy] = useState(false);
  const shown = useRef(list);
  shown.current = list;
  const loaded = sum(query.data);
  if (!query.hasNextPage && selection.selected.length >= loaded) return undefined;
  const choose = async () => {
    setBusy(true);
    let at: Pick<typeof query, 'data' | 'hasNextPage' | 'isFetchNextPageError' | 'fetchNextPage'> = query;
    while (at.hasNextPage && sum(at.data) < mostSelected) {
      at = await at.fetchNextPage();
      if (at.isFetchNextPageError) break;
    }
    setBusy(false);
    // Meanwhile somebody may have gone on to another list.
    if (shown.current === list) selection.set(at.data?.pages.flatMap(({ rows }) => rows) ?? []);
  };
  const label =
    loaded >= mostSelected
      ? `Select the first ${count(mostSelected)}`
      : query.hasNextPage
        ? `Select all that match, at most ${count(mostSelected)}`
        : `Select all ${count(loaded)}`;
  return { label, busy, choose: () => void choose() };
}

function NoneSuch({ kind: { label, to } }: { kind: ListKind }) {
  const things = label.toLowerCase();
  return (
    <Empty title={`No ${things} match these filters`} actions={<ButtonLink to={to}>Show all {things}</ButtonLink>}>
      {label} come and go here as agents work on them. Use fewer words or other filters to see more.
    </Empty>
  );
}
