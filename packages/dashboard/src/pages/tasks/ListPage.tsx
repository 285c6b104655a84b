import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { agora } from '../../api/client.ts';
import { isOpen } from '../../api/tasks.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { collect, saveFile } from '../../ui/download.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty, Failure, Skeleton } from '../../ui/States.tsx';
import { Filters } from './Filters.tsx';
import { filterOf, type RowsFilter, type TaskSearch } from './filters.ts';
import type { ListKind } from './kinds.tsx';
import { newestQuery, rowsQuery } from './rows.ts';
import { TaskList } from './TaskList.tsx';

interface ListPageProps {
  kind: ListKind;
  search: TaskSearch;
  /** Changes the filters in the address as they then are; `replace`: without a new step for the back button. */
  go: (next: (before: TaskSearch) => TaskSearch, replace: boolean) => void;
  lead: string;
  actions?: ReactNode;
  /** Stands in the place of a list that has nothing in it, whatever the filters. */
  empty: ReactNode;
  /** Stands above the filters. */
  children?: ReactNode;
}

/** A list of tasks with its filters, saved views and download. */
export function ListPage({ kind, search, go, lead, actions, empty, children }: ListPageProps) {
  const filter: RowsFilter = { ...kind.filter, ...filterOf(search) };
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
  const isFiltered = Object.keys(filterOf(search)).length > 0;
  return (
    <Page
      title={kind.label}
      lead={lead}
      actions={
        <>
          {rows !== undefined && rows.length > 0 && <DownloadList kind={kind} filter={filter} />}
          {actions}
        </>
      }
    >
      {children}
      <Filters kind={kind} search={search} change={change} open={(next) => go(() => next, false)} />
      <Section flush>
        {rows === undefined ? (
          <div className="px-5 pb-4">
            {query.error ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Skeleton lines={8} />}
          </div>
        ) : rows.length > 0 ? (
          <TaskList key={JSON.stringify(filter)} kind={kind} rows={rows} query={query} />
        ) : isFiltered ? (
          <NoneSuch kind={kind} />
        ) : (
          empty
        )}
      </Section>
    </Page>
  );
}

function DownloadList({ kind, filter }: { kind: ListKind; filter: RowsFilter }) {
  const download = useMutation({
    mutationFn: () => collect(agora.tasks.export(filter)),
    onSuccess: (pieces) => saveFile(`${kind.label.toLowerCase()}.csv`, 'text/csv', pieces),
  });
  return (
    <>
      <Failure error={download.error} />
      <Button busy={download.isPending} onClick={() => download.mutate()}>
        <Download aria-hidden /> CSV
      </Button>
    </>
  );
}

function NoneSuch({ kind: { label, to } }: { kind: ListKind }) {
  const things = label.toLowerCase();
  return (
    <Empty
      title={`No ${things.slice(0, -1)} is like that now`}
      actions={<ButtonLink to={to}>Show all {things}</ButtonLink>}
    >
      {label} come and go here as agents work on them. Use fewer words or other filters to see more.
    </Empty>
  );
}
