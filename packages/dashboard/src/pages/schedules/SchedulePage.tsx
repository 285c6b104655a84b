import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { counted, money } from '../../ui/format.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { Failure, Loaded, Note } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { sayUndo } from '../../ui/undo.tsx';
import { Code, Money, Time } from '../../ui/Values.tsx';
import { EditSchedule } from './EditSchedule.tsx';
import { History } from './History.tsx';
import { keepSchedule, runsQuery, type Schedule, scheduleQuery, schedulesQuery } from './queries.ts';
import { ScheduleState } from './ScheduleState.tsx';
import { timeIn, timesText } from './times.ts';

const route = getRouteApi('/owner/schedules/$scheduleId');

/** One schedule: what it does, what it has done, and what can be done about it. */
export function SchedulePage() {
  const { scheduleId } = route.useParams();
  const query = useQuery(scheduleQuery(scheduleId));
  const back = <Link to="/schedules">Schedules</Link>;
  if (!query.data)
    return (
      <Page title="Schedule" back={back}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  return <Shown schedule={query.data} back={back} />;
}

const refreshRuns = (id: string) => queryClient.invalidateQueries({ queryKey: runsQuery(id).queryKey });

function Shown({ schedule, back }: { schedule: Schedule; back: ReactNode }) {
  const { id, name } = schedule;
  const [asking, ask] = useState<'edit' | 'run' | 'delete' | null>(null);
  const isPaused = schedule.status === 'paused';
  const toggle = useMutation({
    mutationFn: () => (isPaused ? agora.schedules.resume(id) : agora.schedules.pause(id)),
    onSuccess: (changed) => {
      keepSchedule(changed);
      const text = isPaused ? 'The schedule runs again.' : 'The schedule is paused.';
      // Resuming begins the count of failures anew, which nothing brings back.
      if (schedule.failuresInARow > 0 || schedule.pausedBecause === 'failures') return say(text);
      sayUndo(text, async () =>
        keepSchedule(await (isPaused ? agora.schedules.pause(id) : agora.schedules.resume(id))),
      );
    },
  });
  const close = () => ask(null);
  return (
    <Page
      title={name}
      back={back}
      lead={<ScheduleState of={schedule} />}
      actions={
        <>
          <Button onClick={() => ask('run')}>Run now</Button>
          <Button busy={toggle.isPending} onClick={() => toggle.mutate()}>
            {isPaused ? 'Resume' : 'Pause'}
          </Button>
          <Button onClick={() => ask('edit')}>Change</Button>
          <Button kind="danger" onClick={() => ask('delete')}>
            Delete
          </Button>
        </>
      }
    >
      <Failure error={toggle.error} />
      {schedule.pausedBecause === 'failures' && <Broken schedule={schedule} />}
      <Section title="What it does">
        <What schedule={schedule} />
      </Section>
      <Section title="History" lead="Of the last 90 days, newest first." flush>
        <History schedule={schedule} />
      </Section>
      <EditSchedule schedule={schedule} open={asking === 'edit'} onClose={close} />
      <RunNow schedule={schedule} open={asking === 'run'} onClose={close} />
      <Delete schedule={schedule} open={asking === 'delete'} onClose={close} />
    </Page>
  );
}

const Broken = ({ schedule: { failuresInARow } }: { schedule: Schedule }) => (
  <Note kind="bad">
    {failuresInARow === 0
      ? 'It has no next time, and was paused.'
      : `${counted(failuresInARow, 'run')} in a row could not be submitted, so it was paused. The history says why. Mend it, try it with “Run now”, and resume it.`}
  </Note>
);

function What({ schedule }: { schedule: Schedule }) {
  const { cron, timeZone, templateId, title, nextRunAt, lastRunAt } = schedule;
  return (
    <Facts
      rows={[
        [
          'Submits',
          templateId ? (
            <TextLink key="template" to="/tasks/new" search={{ template: templateId }}>
              <bdi>{title}</bdi>
            </TextLink>
          ) : (
            <bdi key="title">{title}</bdi>
          ),
        ],
        [
          'When',
          <span key="when">
            {timesText(cron)} <Code>{cron}</Code> in {timeZone}
          </span>,
        ],
        [
          'Next run',
          nextRunAt ? (
            <span key="next">
              {timeIn(timeZone, nextRunAt)} (<Time at={nextRunAt} />)
            </span>
          ) : (
            'none while it is paused'
          ),
        ],
        ['Last run', lastRunAt && <Time key="last" at={lastRunAt} />],
        ['Budget of each task', <Money key="each" cents={schedule.maxBudget} />],
        [
          'This month',
          <span key="month">
            <Money cents={schedule.spentThisMonth} /> of <Money cents={schedule.monthlyBudget} />
          </span>,
        ],
      ]}
    />
  );
}

interface AskProps {
  schedule: Schedule;
  open: boolean;
  onClose: () => void;
}

function RunNow({ schedule: { id, maxBudget }, open, onClose }: AskProps) {
  const run = useMutation({
    mutationFn: () => agora.schedules.run(id),
    onSuccess: async () => {
      onClose();
      say('The run begins.');
      await Promise.all([refreshRuns(id), queryClient.invalidateQueries({ queryKey: scheduleQuery(id).queryKey })]);
    },
  });
  return (
    <Confirm
      title="Run it now?"
      open={open}
      onClose={() => {
        run.reset();
        onClose();
      }}
      verb={`Run now, up to ${money(maxBudget)}`}
      busy={run.isPending}
      error={run.error}
      onConfirm={() => run.mutate()}
    >
      <p>
        Its task is submitted at once, and up to {money(maxBudget)} are held for each attempt. The next time of the
        schedule stays as it is.
      </p>
    </Confirm>
  );
}

function Delete({ schedule: { id, name }, open, onClose }: AskProps) {
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => agora.schedules.delete(id),
    onSuccess: async () => {
      await navigate({ to: '/schedules' });
      queryClient.removeQueries({ queryKey: scheduleQuery(id).queryKey });
      await queryClient.invalidateQueries({ queryKey: schedulesQuery.queryKey });
      say(`The schedule ${name} is deleted.`);
    },
  });
  return (
    <Confirm
      title="Delete this schedule?"
      open={open}
      onClose={onClose}
      verb="Delete schedule"
      danger
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
    >
      <p>
        <bdi className="font-medium">{name}</bdi> goes with its history. Tasks that it has submitted stay, and open ones
        go on.
      </p>
    </Confirm>
  );
}
