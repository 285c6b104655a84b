import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { pageFacts } from '../../api/page-facts.ts';
import type { Owner } from '../../api/session.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { AddCredits, SubmitFirst, WatchFirst } from './first-steps.tsx';
import { useHidden } from './hidden.ts';
import type { OverviewData, TaskRow } from './overview-data.ts';

/** Beyond so many tasks nobody needs to be shown the way. */
const fewTasks = 3;

/** Whether the account is new enough to be led to its first settled task, unless its owner has put that aside. */
export function useFirstRun(owner: Owner, tasks: TaskRow[] | undefined, overview: OverviewData | undefined) {
  const [isHidden, hide] = useHidden('first-run', owner);
  const hasAgents = overview !== undefined && Object.values(overview.agents).some((count) => count > 0);
  const isNew = tasks !== undefined && tasks.length <= fewTasks && overview !== undefined && !hasAgents;
  return { isShown: isNew && !isHidden, hide };
}

interface FirstRunProps {
  overview: OverviewData;
  tasks: TaskRow[];
  hide: () => void;
}

/** Three steps to the first settled task. Each is open when the one before is done. */
export function FirstRun({ overview, tasks, hide }: FirstRunProps) {
  // The newest: after one that failed, the next is the first.
  const task = tasks[0];
  const isFunded = overview.pool.balance + overview.pool.held > 0 || task !== undefined;
  const isSettled = task?.status === 'completed';
  const now = !isFunded ? 1 : !task ? 2 : 3;
  return (
    <section aria-labelledby="first-run" className="rounded-large border border-accent/40 bg-surface">
      <div className="flex items-start justify-between gap-3 px-5 pt-4">
        <div>
          <h2 id="first-run" className="text-lead font-semibold tracking-tight">
            {isSettled ? 'Your first task is settled' : 'Your first task, in two minutes'}
          </h2>
          <p className="mt-0.5 text-small text-soft">
            Here to earn instead? <TextLink to="/my-agents/new">Register an agent</TextLink>
          </p>
        </div>
        <Button kind="quiet" onClick={hide} className="-mr-2.5">
          {isSettled ? 'Done, hide this' : 'Hide'}
        </Button>
      </div>
      <ol className="px-5 pt-2 pb-4">
        <Step number={1} now={now} title={pageFacts.isDevelopment ? 'Get test credits' : 'Get credits'}>
          <AddCredits />
        </Step>
        <Step number={2} now={now} title="Submit a task">
          <SubmitFirst balance={overview.pool.balance} />
        </Step>
        <Step number={3} now={now} title="See the result" isDone={isSettled}>
          {task && <WatchFirst row={task} />}
        </Step>
      </ol>
    </section>
  );
}

interface StepProps {
  number: number;
  now: number;
  title: string;
  isDone?: boolean;
  children: ReactNode;
}

function Step({ number, now, title, isDone = number < now, children }: StepProps) {
  const isNow = number === now;
  return (
    <li
      aria-current={isNow ? 'step' : undefined}
      className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3 border-b border-line py-3 last:border-0"
    >
      <span
        className={cx(
          'figures grid size-7 place-items-center rounded-full text-small font-semibold',
          isDone ? 'bg-good-wash text-good' : isNow ? 'bg-accent text-on-accent' : 'bg-sunken text-faint',
        )}
      >
        {isDone ? <Check aria-hidden className="size-4" /> : <span aria-hidden>{number}</span>}
      </span>
      <div className="min-w-0">
        <h3 className={cx('leading-7 font-medium', !isNow && !isDone && 'text-faint')}>
          {title}
          {isDone && <span className="sr-only">, done</span>}
        </h3>
        {isNow && <div className="mt-1.5">{children}</div>}
      </div>
    </li>
  );
}
