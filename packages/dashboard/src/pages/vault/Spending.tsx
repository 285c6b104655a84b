import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { agora } from '../../api/client.ts';
import { TextLink } from '../../ui/Button.tsx';
import { Figure, Figures } from '../../ui/Facts.tsx';
import { counted, date, money, words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Money } from '../../ui/Values.tsx';
import { daysShown } from './daily.ts';
import { dayKey, everyDay, type Group, monthOf, paceDays } from './spending.ts';

const DayPlot = lazy(() => import('./DayPlot.tsx').then(({ DayPlot }) => ({ default: DayPlot })));

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

/** Midnight of the reader's calendar, some days ago. */
function daysAgo(days: number): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
}

/** Enough for the plot, for a month and for the days before it that the forecast rests on. */
const daysRead = 31 + paceDays;

const byDayQuery = queryOptions({
  queryKey: ['vault', 'spending', 'day'],
  queryFn: () => agora.tasks.totals({ by: 'day', timeZone, createdFrom: daysAgo(daysRead).toISOString() }),
});

const groupings = [
  ['agent', 'Agent'],
  ['taskType', 'Type'],
  ['project', 'Project'],
] as const;
type Grouping = (typeof groupings)[number][0];

const groupsQuery = (by: Grouping) =>
  queryOptions({
    queryKey: ['vault', 'spending', by],
    queryFn: () => agora.tasks.totals({ by, createdFrom: daysAgo(daysShown).toISOString() }),
    placeholderData: keepPreviousData,
  });

/** What tasks cost, by day and by what they were, with the month as it is likely to end. */
export function Spending() {
  const days = useQuery(byDayQuery);
  return (
    <>
      <Section>
        <Loaded query={days} skeleton={<div className="skeleton h-67 sm:h-34" />}>
          {({ groups, total: { held } }) => {
            const month = monthOf(everyDay(groups, daysAgo(daysRead), new Date()), new Date());
            return (
              <Figures>
                <Figure label="This month" note="Tasks submitted since the first">
                  <Money cents={month.soFar} />
                </Figure>
                <Figure
                  label="By its end"
                  note={
                    month.forecast === null ? 'Known after the first day' : `At the pace of the last ${paceDays} days`
                  }
                >
                  {month.forecast === null ? '–' : <Money cents={month.forecast} />}
                </Figure>
                <Figure label="Held" note="For tasks that are open">
                  <Money cents={held} />
                </Figure>
              </Figures>
            );
          }}
        </Loaded>
      </Section>
      <Section title="By day" lead="Tasks of the last 30 days, on the day they were submitted. Refunds are taken off.">
        <Loaded query={days} skeleton={<div className="skeleton h-56" />}>
          {({ groups }) => <ByDay groups={groups} />}
        </Loaded>
      </Section>
      <ByGroup />
    </>
  );
}

function ByDay({ groups }: { groups: readonly Group[] }) {
  const days = everyDay(groups, daysAgo(daysShown - 1), new Date());
  const most = days.reduce((one, other) => (other.cents > one.cents ? other : one));
  if (most.cents === 0) {
    return (
      <Empty title="Nothing was spent in these days">
        Once a task is completed, what it cost stands here. <TextLink to="/tasks/new">Submit a task</TextLink>
      </Empty>
    );
  }
  const sum = days.reduce((total, { cents }) => total + cents, 0);
  return (
    <Suspense fallback={<div className="skeleton h-56" />}>
      <DayPlot
        days={days}
        drawn="bars"
        label={`Spent on each of the last ${days.length} days: ${money(sum)} together, most on ${date(most.at)} with ${money(most.cents)}`}
      />
    </Suspense>
  );
}

/** The tasks of a group, as the list of tasks shows them. */
function searchOf(by: Grouping, key: string) {
  const from = dayKey(daysAgo(daysShown));
  return by === 'agent' ? { agentId: key, from } : by === 'project' ? { project: key, from } : { type: key, from };
}

const without: Record<Grouping, string> = { agent: 'No agent yet', taskType: 'No type', project: 'No project' };

const nameOf = (by: Grouping, { key, name }: Group): ReactNode => {
  if (key === null) return <span className="text-soft">{without[by]}</span>;
  return (
    <TextLink to="/tasks" search={searchOf(by, key)}>
      {by === 'taskType' ? words(key) : (name ?? key)}
    </TextLink>
  );
};

function ByGroup() {
  const [by, setBy] = useState<Grouping>('agent');
  const { data, error, refetch } = useQuery(groupsQuery(by));
  // What is shown until the next answer comes is of the grouping before.
  const shownBy = data?.by as Grouping | undefined;
  const columns: readonly Column<Group>[] = [
    {
      id: 'name',
      header: groupings.find(([value]) => value === shownBy)?.[1] ?? 'Group',
      name: true,
      heads: true,
      cell: (group) => nameOf(shownBy!, group),
    },
    { id: 'tasks', header: 'Tasks', sort: ({ tasks }) => tasks, right: true, cell: ({ tasks }) => tasks },
    {
      id: 'held',
      header: 'Held',
      sort: ({ held }) => held,
      right: true,
      wide: true,
      cell: ({ held }) => <Money cents={held} />,
    },
    {
      id: 'charged',
      header: 'Cost',
      sort: ({ charged }) => charged,
      right: true,
      cell: ({ charged }) => <Money cents={charged} />,
    },
    {
      id: 'share',
      header: 'Share',
      right: true,
      wide: true,
      cell: ({ charged }) =>
        data && data.total.charged > 0 ? `${Math.round((100 * charged) / data.total.charged)} %` : '–',
    },
  ];
  return (
    <Section
      title="By what it was for"
      lead={data ? `${counted(data.total.tasks, 'task')} of the last ${daysShown} days` : `The last ${daysShown} days`}
      actions={<Segments label="Add up by" options={groupings} value={by} onChange={setBy} />}
      flush
    >
      <Table
        label="What tasks cost"
        columns={columns}
        rows={data?.groups}
        rowKey={({ key }) => key ?? ''}
        error={data ? null : error}
        retry={() => void refetch()}
        empty={<Empty title="No tasks in these days">What tasks cost stands here, by agent, type and project.</Empty>}
      />
    </Section>
  );
}
