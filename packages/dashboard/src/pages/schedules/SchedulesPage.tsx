import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useRows } from '../../api/pages.ts';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { type ListedSchedule, schedulesQuery } from './queries.ts';
import { ScheduleState } from './ScheduleState.tsx';
import { Templates } from './Templates.tsx';
import { timesText } from './times.ts';

const route = getRouteApi('/owner/schedules');

/** Tasks that are kept: those that run by the clock, and the templates they are made of. */
export function SchedulesPage() {
  const { tab } = route.useSearch();
  return (
    <Page
      title="Schedules"
      lead="Tasks that you ask for again and again, by the clock or when you like."
      actions={
        tab === 'templates' ? (
          <ButtonLink kind="primary" to="/tasks/new">
            <Plus aria-hidden />
            New task
          </ButtonLink>
        ) : (
          <ButtonLink kind="primary" to="/schedules/new">
            <Plus aria-hidden />
            New schedule
          </ButtonLink>
        )
      }
    >
      <Tabs
        label="Kept tasks"
        tabs={[
          { label: 'Schedules', to: '/schedules' },
          { label: 'Templates', to: '/schedules', search: { tab: 'templates' } },
        ]}
      />
      {tab === 'templates' ? <Templates /> : <Schedules />}
    </Page>
  );
}

const columns: Column<ListedSchedule>[] = [
  {
    id: 'name',
    header: 'Name',
    name: true,
    cell: ({ id, name, title }) => (
      <div className="grid gap-0.5">
        <TextLink to="/schedules/$scheduleId" params={{ scheduleId: id }}>
          <bdi>{name}</bdi>
        </TextLink>
        {title !== name && <bdi className="text-soft">{title}</bdi>}
      </div>
    ),
  },
  {
    id: 'when',
    header: 'When',
    wide: true,
    cell: ({ cron, timeZone }) => (
      <div className="grid gap-0.5">
        <span>{timesText(cron)}</span>
        <span className="text-faint">{timeZone}</span>
      </div>
    ),
  },
  { id: 'state', header: 'State', cell: (schedule) => <ScheduleState of={schedule} /> },
  { id: 'next', header: 'Next run', cell: ({ nextRunAt }) => (nextRunAt ? <Time at={nextRunAt} /> : '–') },
  {
    id: 'spent',
    header: 'This month',
    right: true,
    wide: true,
    cell: ({ spentThisMonth, monthlyBudget }) => (
      <>
        <Money cents={spentThisMonth} /> <span className="text-faint">of</span> <Money cents={monthlyBudget} />
      </>
    ),
  },
];

function Schedules() {
  const query = useRows(schedulesQuery);
  return (
    <Section flush>
      <Table
        label="Schedules"
        columns={columns}
        rowKey={({ id }) => id}
        {...tableOf(query)}
        empty={
          <Empty
            title="No schedules yet"
            actions={
              <ButtonLink kind="primary" to="/schedules/new">
                Make a schedule
              </ButtonLink>
            }
          >
            A schedule submits a template every morning, every week, or as you say, within a budget for the month. A run
            is skipped while the one before is still open.
          </Empty>
        }
      />
    </Section>
  );
}
