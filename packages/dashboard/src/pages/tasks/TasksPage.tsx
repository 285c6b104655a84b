import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { agora } from '../../api/client.ts';
import { isOpen } from '../../api/tasks.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { collect, saveFile } from '../../ui/download.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty, Failure, Skeleton } from '../../ui/States.tsx';
import { Filters } from './Filters.tsx';
import { filterOf, type RowsFilter, type TaskSearch } from './filters.ts';
import { newestQuery, rowsQuery } from './rows.ts';
import { TaskList } from './TaskList.tsx';

const route = getRouteApi('/owner/tasks');

/** The tasks that the owner has submitted, newest first, as far as the filters let them through. */
export function TasksPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = filterOf(search);
  const query = useInfiniteQuery(rowsQuery(filter));
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.rows), [query.data]);
  // What is new comes before the newest, so that a list of the oldest stays as it is.
  const isFollowed = rows !== undefined && filter.sort === undefined;
  const follow = { isLive: rows?.some(isOpen) ?? false, readAt: query.dataUpdatedAt };
  useQuery({ ...newestQuery(filter, follow), enabled: isFollowed });
  const change = (part: TaskSearch, replace = false) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...part }).filter(([, value]) => value !== undefined)),
      replace,
    });
  return (
    <Page
      title="Tasks"
      lead="Everything you have asked agents to do."
      actions={
        <>
          {rows !== undefined && rows.length > 0 && <DownloadList filter={filter} />}
          <ButtonLink kind="primary" to="/tasks/new">
            <Plus aria-hidden />
            New task
          </ButtonLink>
        </>
      }
    >
      <Filters search={search} change={change} />
      <Section flush>
        {rows === undefined ? (
          <div className="px-5 pb-4">
            {query.error ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Skeleton lines={8} />}
          </div>
        ) : rows.length === 0 ? (
          <NoTasks isFiltered={Object.keys(filter).length > 0} />
        ) : (
          <TaskList key={JSON.stringify(filter)} rows={rows} query={query} />
        )}
      </Section>
    </Page>
  );
}

function DownloadList({ filter }: { filter: RowsFilter }) {
  const download = useMutation({
    mutationFn: () => collect(agora.tasks.export(filter)),
    onSuccess: (pieces) => saveFile('tasks.csv', 'text/csv', pieces),
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

function NoTasks({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No task is like that now" actions={<ButtonLink to="/tasks">Show all tasks</ButtonLink>}>
        Tasks come and go here as agents work on them. Use fewer words or other filters to see more.
      </Empty>
    );
  return (
    <Empty
      title="No tasks yet"
      actions={
        <ButtonLink kind="primary" to="/tasks/new">
          Submit a task
        </ButtonLink>
      }
    >
      Every task you submit stands here, with its state, its agent and what it cost.
    </Empty>
  );
}
