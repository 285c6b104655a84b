import { Link } from '@tanstack/react-router';
import { TextLink } from '../../ui/Button.tsx';
import { count, words } from '../../ui/format.ts';
import { Skeleton } from '../../ui/States.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { TaskState } from '../tasks/TaskState.tsx';
import type { TaskRow } from './overview-data.ts';

interface TaskRowsProps {
  /** Undefined until they are loaded. */
  tasks: readonly TaskRow[] | undefined;
  label: string;
  empty: string;
  /** How many there are beyond those that are shown. */
  more?: number;
}

/** Tasks in two lines each, as a way to them. */
export function TaskRows({ tasks, label, empty, more = 0 }: TaskRowsProps) {
  if (!tasks) return <Skeleton lines={4} className="px-5 pt-1 pb-5" />;
  if (tasks.length === 0) return <p className="px-5 pb-5 text-small text-soft">{empty}</p>;
  return (
    <ul aria-label={label} className="divide-y divide-line border-t border-line">
      {tasks.map((task) => (
        <li key={task.id}>
          <Link
            to="/tasks/$taskId"
            params={{ taskId: task.id }}
            className="flex items-center justify-between gap-4 px-5 py-2.5 hover:bg-sunken"
          >
            <span className="min-w-0">
              <span dir="auto" className="line-clamp-2 text-small font-medium [overflow-wrap:anywhere] sm:line-clamp-1">
                {task.title}
              </span>
              <span className="mt-0.5 block text-tiny text-faint">
                {words(task.taskType)} · <Time at={task.finishedAt ?? task.createdAt} />
                {task.qualityScore !== null && (
                  <>
                    {' · '}
                    <span className="whitespace-nowrap">gate {task.qualityScore} of 100</span>
                  </>
                )}
              </span>
            </span>
            <span className="flex shrink-0 items-center gap-3 text-small">
              <span className="max-sm:hidden">
                <Charge task={task} />
              </span>
              <TaskState {...task} />
            </span>
          </Link>
        </li>
      ))}
      {more > 0 && (
        <li className="px-5 py-2.5 text-small">
          <TextLink to="/tasks">and {count(more)} more</TextLink>
        </li>
      )}
    </ul>
  );
}

/** What it costs: charged, agreed, or at most. */
function Charge({ task }: { task: TaskRow }) {
  if (task.status === 'completed') return <Money cents={task.creditsCharged ?? 0} />;
  if (task.finishedAt) return <span className="text-faint">nothing charged</span>;
  return (
    <span className="text-soft">
      {task.price === null ? 'up to ' : ''}
      <Money cents={task.price ?? task.maxBudget} />
      {task.price === null ? '' : ' if it passes'}
    </span>
  );
}
