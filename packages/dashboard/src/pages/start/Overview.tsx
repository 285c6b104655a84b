import { useQuery } from '@tanstack/react-query';
import type { Owner } from '../../api/session.ts';
import { isOpen } from '../../api/tasks.ts';
import { PageSkeleton } from '../../app/PageSkeleton.tsx';
import { ButtonLink } from '../../ui/Button.tsx';
import { Columns } from '../../ui/Facts.tsx';
import { Page, Section } from '../../ui/Layout.tsx';
import { Failure } from '../../ui/States.tsx';
import { useCalmly } from '../../ui/use-calmly.ts';
import { Alerts } from './Alerts.tsx';
import { ApprovalsWaiting } from './ApprovalsWaiting.tsx';
import { BuyerRecord } from './BuyerRecord.tsx';
import { FirstRun, useFirstRun } from './FirstRun.tsx';
import { FirstWeek } from './FirstWeek.tsx';
import { MoneyFigures, OverTime, underWayOf } from './MoneyFigures.tsx';
import { overviewQuery, pendingApprovalsQuery, shownAtMost, tasksQuery } from './overview-data.ts';
import { TaskRows } from './TaskRows.tsx';

/** How things stand: what needs a decision, what runs, what it costs and earns. */
export function Overview({ owner }: { owner: Owner }) {
  const overview = useQuery(overviewQuery);
  const tasks = useQuery(tasksQuery);
  const approvals = useQuery(pendingApprovalsQuery);
  const firstRun = useFirstRun(owner, tasks.data, overview.data);
  const failure = overview.error ?? tasks.error;
  const open = tasks.data?.filter(isOpen).slice(0, shownAtMost);
  const ended = tasks.data?.filter((row) => !isOpen(row)).slice(0, shownAtMost);
  // All that are under way are shown unless there are too many, whatever the figures said a moment ago.
  const more = open?.length === shownAtMost && overview.data ? underWayOf(overview.data) - open.length : 0;
  const retry = () => void Promise.all([overview.refetch(), tasks.refetch()]);
  // All at once: what came later would push away what is being read.
  const isShown = useCalmly(!(overview.isPending || tasks.isPending || approvals.isPending));
  if (!isShown) return <PageSkeleton />;
  return (
    <Page
      title="Overview"
      actions={
        <ButtonLink to="/tasks/new" kind="primary">
          New task
        </ButtonLink>
      }
    >
      {failure && <Failure error={failure} retry={retry} />}
      {firstRun.isShown && overview.data && (
        <FirstRun overview={overview.data} tasks={tasks.data ?? []} hide={firstRun.hide} />
      )}
      {overview.data && <Alerts alerts={overview.data.alerts} />}
      <MoneyFigures overview={overview.data} />
      <Columns
        aside={
          <>
            {overview.data && !firstRun.isShown && (
              <FirstWeek owner={owner} overview={overview.data} hasTasks={(tasks.data?.length ?? 0) > 0} />
            )}
            <ApprovalsWaiting />
            <OverTime overview={overview.data} />
            <BuyerRecord overview={overview.data} />
          </>
        }
      >
        <Section title="Under way" flush>
          <TaskRows
            tasks={open}
            label="Tasks under way"
            empty="Nothing is under way. Tasks that you submit stand here until they end."
            more={more}
          />
        </Section>
        <Section
          title="Recent results"
          flush
          actions={
            <ButtonLink kind="quiet" to="/tasks" className="-my-1.5 -mr-2.5">
              All tasks
            </ButtonLink>
          }
        >
          <TaskRows tasks={ended} label="Recent results" empty="What comes of your tasks stands here." />
        </Section>
      </Columns>
    </Page>
  );
}
