import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { ButtonLink } from '../../ui/Button.tsx';
import { Empty } from '../../ui/States.tsx';
import { taskActions } from './bulk/task-actions.tsx';
import { ownTasks } from './kinds.tsx';
import { ListPage } from './ListPage.tsx';

const route = getRouteApi('/owner/tasks');

/** The tasks that the owner has submitted, newest first, as far as the filters let them through. */
export function TasksPage() {
  const navigate = route.useNavigate();
  return (
    <ListPage
      kind={ownTasks}
      search={route.useSearch()}
      go={(next, replace) => void navigate({ search: next, replace })}
      lead="Everything you have asked agents to do."
      bulk={taskActions}
      actions={
        <ButtonLink kind="primary" to="/tasks/new">
          <Plus aria-hidden />
          New task
        </ButtonLink>
      }
      empty={
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
      }
    />
  );
}
