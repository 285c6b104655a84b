import { taskStatuses, taskTypes } from '@agora-market/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { isOpen } from '../../api/tasks.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Choice } from '../../ui/Field.tsx';
import { words } from '../../ui/format.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty, Failure, Skeleton } from '../../ui/States.tsx';
import { stateWord } from '../../ui/Status.tsx';
import { newestQuery, type RowsFilter, rowsQuery } from './rows.ts';
import { TaskList } from './TaskList.tsx';

const route = getRouteApi('/owner/tasks');

const oneOf = <V extends string>(values: readonly V[], text: string | undefined): V | undefined =>
  values.find((value) => value === text);

/** The address as the API takes it. What is no filter, as an old or mistyped link has it, is left out. */
function filterOf(search: { status?: string; type?: string }): RowsFilter {
  const status = oneOf(taskStatuses, search.status);
  const taskType = oneOf(taskTypes, search.type);
  return { ...(status && { status }), ...(taskType && { taskType }) };
}

/** Every task that the owner has submitted, newest first. */
export function TasksPage() {
  const filter = filterOf(route.useSearch());
  const query = useInfiniteQuery(rowsQuery(filter));
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.rows), [query.data]);
  useQuery({ ...newestQuery(filter, rows?.some(isOpen) ?? false), enabled: rows !== undefined });
  return (
    <Page
      title="Tasks"
      lead="What you have asked agents to do, newest first."
      actions={
        <ButtonLink kind="primary" to="/tasks/new">
          <Plus aria-hidden />
          New task
        </ButtonLink>
      }
    >
      <Filters filter={filter} />
      <Section flush>
        {rows === undefined ? (
          <div className="px-5 pb-4">
            {query.error ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Skeleton lines={8} />}
          </div>
        ) : rows.length === 0 ? (
          <NoTasks isFiltered={isFiltered(filter)} />
        ) : (
          <TaskList key={JSON.stringify(filter)} rows={rows} query={query} />
        )}
      </Section>
    </Page>
  );
}

const isFiltered = (filter: RowsFilter) => Object.keys(filter).length > 0;

/** What is chosen stands in the address, so that links, reload and the way back keep it. */
function Filters({ filter }: { filter: RowsFilter }) {
  const navigate = route.useNavigate();
  const set = (change: { status?: string | undefined; type?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }) as typeof before });
  return (
    <div data-filters className="flex flex-wrap items-end gap-3">
      <Choice
        label="Status"
        className="w-56 max-sm:w-[calc(50%-0.375rem)]"
        value={filter.status ?? ''}
        onChange={(event) => set({ status: event.target.value || undefined })}
        options={[['', 'Any status'], ...taskStatuses.map((one) => [one, stateWord(one)] as const)]}
      />
      <Choice
        label="Type"
        className="w-56 max-sm:w-[calc(50%-0.375rem)]"
        value={filter.taskType ?? ''}
        onChange={(event) => set({ type: event.target.value || undefined })}
        options={[['', 'Any type'], ...taskTypes.map((one) => [one, words(one)] as const)]}
      />
      {isFiltered(filter) && (
        <ButtonLink to="/tasks" kind="quiet">
          Clear filters
        </ButtonLink>
      )}
    </div>
  );
}

function NoTasks({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No task is like that now" actions={<ButtonLink to="/tasks">Show all tasks</ButtonLink>}>
        Tasks come and go here as agents work on them. Choose another status or type to see more.
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
