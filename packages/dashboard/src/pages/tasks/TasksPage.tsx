import { type TaskStatus, taskStatuses } from '@agora/contract';
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
import { newestQuery, rowsQuery } from './rows.ts';
import { TaskList } from './TaskList.tsx';

const route = getRouteApi('/owner/tasks');

const statusOf = (text: string | undefined): TaskStatus | undefined => taskStatuses.find((status) => status === text);

/** Every task that the owner has submitted, newest first. */
export function TasksPage() {
  const status = statusOf(route.useSearch().status);
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(rowsQuery(status));
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.rows), [query.data]);
  useQuery({ ...newestQuery(status, rows?.some(isOpen) ?? false), enabled: rows !== undefined });
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
      <div data-filters className="flex flex-wrap gap-3">
        <Choice
          label="Status"
          className="w-56 max-sm:w-full"
          value={status ?? ''}
          onChange={(event) =>
            void navigate({
              search: (before) => ({ ...before, status: event.target.value || undefined }) as typeof before,
            })
          }
          options={[['', 'All'], ...taskStatuses.map((one) => [one, statusWords[one] ?? words(one)] as const)]}
        />
      </div>
      <Section flush>
        {rows === undefined ? (
          <div className="px-5 pb-4">
            {query.error ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Skeleton lines={8} />}
          </div>
        ) : rows.length === 0 ? (
          <NoTasks status={status} />
        ) : (
          <TaskList rows={rows} query={query} />
        )}
      </Section>
    </Page>
  );
}

/** As the state of a task is shown. */
const statusWords: Partial<Record<TaskStatus, string>> = {
  submitted: 'Waiting for an agent',
  routing: 'Offered to an agent',
  executing: 'Being worked on',
  quality_check: 'Being checked',
};

function NoTasks({ status }: { status: TaskStatus | undefined }) {
  if (status !== undefined) {
    return (
      <Empty title="No task has this status now" actions={<ButtonLink to="/tasks">Show all tasks</ButtonLink>}>
        Tasks come and go here as their agents work on them.
      </Empty>
    );
  }
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
