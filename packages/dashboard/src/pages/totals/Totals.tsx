import type { Query, Reply } from '@agora-market/sdk';
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
import type { Mark } from '../vault/DayPlot.tsx';
import { daysShown } from '../vault/daily.ts';
import { dayKey, everyDay, type Group, type Month, monthOf, paceDays } from './days.ts';

const DayPlot = lazy(() => import('../vault/DayPlot.tsx').then(({ DayPlot }) => ({ default: DayPlot })));

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

type Grouping = NonNullable<Query<'tasks.totals'>['by']>;

/** Sums of tasks: whose they are, what is counted of them, and the words for it. */
export interface TotalsKind {
  /** First keys of its queries. */
  key: readonly string[];
  role: 'submitted' | 'assigned';
  amountOf: (sums: Reply<'tasks.totals'>['total']) => number;
  /** Where the tasks of a group are listed. */
  to: '/tasks' | '/jobs';
  groupings: readonly (readonly [Grouping, string])[];
  /** `Spent`, `Cost`. */
  verb: string;
  noun: string;
  held: { label: string; note: string };
  daysLead: string;
  groupsTitle: string;
  groupsLabel: string;
  noDays: ReactNode;
  noGroups: ReactNode;
}

/** Midnight of the reader's calendar, some days ago. */
function daysAgo(days: number): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
}

/** Enough for the plot, for a month and for the days before it that the forecast rests on. */
const daysRead = 31 + paceDays;

const byDayQuery = ({ key, role }: TotalsKind) =>
  queryOptions({
    queryKey: [...key, 'day'],
    queryFn: () => agora.tasks.totals({ role, by: 'day', timeZone, createdFrom: daysAgo(daysRead).toISOString() }),
  });

const groupsQuery = ({ key, role }: TotalsKind, by: Grouping) =>
  queryOptions({
    queryKey: [...key, by],
    queryFn: () => agora.tasks.totals({ role, by, createdFrom: daysAgo(daysShown - 1).toISOString() }),
    placeholderData: keepPreviousData,
  });

interface TotalsProps {
  kind: TotalsKind;
  /** What is said below the figures of the month. */
  underMonth?: (month: Month) => ReactNode;
  marks?: readonly Mark[] | undefined;
}

/** What tasks cost or earned, by day and by what they were, with the month as it is likely to end. */
export function Totals({ kind, underMonth, marks }: TotalsProps) {
  const days = useQuery(byDayQuery(kind));
  return (
    <>
      <Section>
        <Loaded query={days} skeleton={<div className="skeleton h-67 sm:h-34" />}>
          {({ groups, total: { held } }) => {
            const month = monthOf(everyDay(groups, daysAgo(daysRead), new Date(), kind.amountOf), new Date());
            return (
              <>
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
                  <Figure label={kind.held.label} note={kind.held.note}>
                    <Money cents={held} />
                  </Figure>
                </Figures>
                {underMonth?.(month)}
              </>
            );
          }}
        </Loaded>
      </Section>
      <Section title="By day" lead={kind.daysLead}>
        <Loaded query={days} skeleton={<div className="skeleton h-56" />}>
          {({ groups }) => <ByDay kind={kind} groups={groups} marks={marks} />}
        </Loaded>
      </Section>
      <ByGroup kind={kind} />
    </>
  );
}

/** A line that is so much higher than all bars would leave nothing of them. */
const mostAboveBars = 4;

function ByDay({ kind, groups, marks = [] }: Pick<TotalsProps, 'kind' | 'marks'> & { groups: readonly Group[] }) {
  const days = everyDay(groups, daysAgo(daysShown - 1), new Date(), kind.amountOf);
  const most = days.reduce((one, other) => (other.cents > one.cents ? other : one));
  if (most.cents === 0) return kind.noDays;
  const sum = days.reduce((total, { cents }) => total + cents, 0);
  const drawn = marks.filter(({ cents }) => cents <= mostAboveBars * most.cents);
  const lines = drawn.map(({ name, cents }) => `; a line at ${money(cents)}: ${name}`).join('');
  return (
    <Suspense fallback={<div className="skeleton h-56" />}>
      <DayPlot
        days={days}
        drawn="bars"
        marks={drawn}
        label={`${kind.verb} on each of the last ${days.length} days: ${money(sum)} together, most on ${date(most.at)} with ${money(most.cents)}${lines}`}
      />
    </Suspense>
  );
}

/** By which filter a list shows the tasks of a group. */
const filterNames: Partial<Record<Grouping, string>> = { agent: 'agentId', taskType: 'type' };
const without: Partial<Record<Grouping, string>> = { agent: 'No agent yet', project: 'No project' };

function nameOf({ to }: TotalsKind, by: Grouping, { key, name }: Group): ReactNode {
  if (key === null) return <span className="text-soft">{without[by] ?? 'None'}</span>;
  return (
    <TextLink to={to} search={{ [filterNames[by] ?? by]: key, from: dayKey(daysAgo(daysShown - 1)) }}>
      {by === 'taskType' || by === 'status' ? words(key) : <bdi>{name ?? key}</bdi>}
    </TextLink>
  );
}

function ByGroup({ kind }: { kind: TotalsKind }) {
  const { groupings, amountOf } = kind;
  const [by, setBy] = useState<Grouping>('agent');
  const { data, error, refetch } = useQuery(groupsQuery(kind, by));
  // What is shown until the next answer comes is of the grouping before.
  const shownBy = data?.by;
  const total = data ? amountOf(data.total) : 0;
  const columns: readonly Column<Group>[] = [
    {
      id: 'name',
      header: groupings.find(([value]) => value === shownBy)?.[1] ?? 'Group',
      name: true,
      heads: true,
      cell: (group) => nameOf(kind, shownBy!, group),
    },
    { id: 'tasks', header: 'Tasks', sort: ({ tasks }) => tasks, right: true, cell: ({ tasks }) => tasks },
    {
      id: 'held',
      header: kind.held.label,
      sort: ({ held }) => held,
      right: true,
      wide: true,
      cell: ({ held }) => <Money cents={held} />,
    },
    {
      id: 'amount',
      header: kind.noun,
      sort: amountOf,
      right: true,
      cell: (group) => <Money cents={amountOf(group)} />,
    },
    {
      id: 'share',
      header: 'Share',
      right: true,
      wide: true,
      cell: (group) => (total > 0 ? `${Math.round((100 * amountOf(group)) / total)} %` : '–'),
    },
  ];
  return (
    <Section
      title={kind.groupsTitle}
      lead={data ? `${counted(data.total.tasks, 'task')} of the last ${daysShown} days` : `The last ${daysShown} days`}
      actions={<Segments label="Add up by" options={groupings} value={by} onChange={setBy} />}
      flush
    >
      <Table
        label={kind.groupsLabel}
        columns={columns}
        rows={data?.groups}
        rowKey={({ key }) => key ?? ''}
        error={data ? null : error}
        retry={() => void refetch()}
        empty={<Empty title="No tasks in these days">{kind.noGroups}</Empty>}
      />
    </Section>
  );
}
