import type { Reply } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from '../../ui/Button.tsx';
import { CopyTable } from '../../ui/CopyTable.tsx';
import { Figure, Figures } from '../../ui/Facts.tsx';
import { TextField } from '../../ui/Field.tsx';
import { count, date } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Money } from '../../ui/Values.tsx';
import { useOperator } from './operator.ts';

type Period = Reply<'vault.revenue'>['periods'][number];

const columns: readonly Column<Period>[] = [
  {
    id: 'period',
    header: 'Day',
    sort: ({ period }) => period,
    cell: ({ period }) => <span className="whitespace-nowrap">{date(`${period}T12:00`)}</span>,
  },
  {
    id: 'tasks',
    header: 'Tasks',
    sort: ({ charges }) => charges,
    right: true,
    wide: true,
    cell: ({ charges }) => count(charges),
  },
  {
    id: 'volume',
    header: 'Prices',
    sort: ({ volume }) => volume,
    right: true,
    wide: true,
    cell: ({ volume }) => <Money cents={volume} />,
  },
  { id: 'fees', header: 'Fees', sort: ({ fees }) => fees, right: true, cell: ({ fees }) => <Money cents={fees} /> },
  {
    id: 'back',
    header: 'Given back',
    sort: ({ feesRefunded }) => feesRefunded,
    right: true,
    wide: true,
    cell: ({ feesRefunded }) => <Money cents={feesRefunded} />,
  },
  {
    id: 'reserve',
    header: 'Disputes',
    sort: ({ disputeCosts }) => disputeCosts,
    right: true,
    wide: true,
    cell: (row) => <Money cents={row.disputeCosts} />,
  },
  {
    id: 'net',
    header: 'Net',
    sort: ({ netRevenue }) => netRevenue,
    right: true,
    cell: ({ netRevenue }) => <Money cents={netRevenue} />,
  },
];

/** Whether anything happened in it. */
const isFull = (period: Period) => Object.values(period).some((value) => typeof value === 'number' && value !== 0);

/** What the platform earned, by day. */
export function Revenue() {
  const operator = useOperator();
  const navigate = useNavigate({ from: '/operator' });
  const { from, to } = useSearch({ from: '/owner/operator' });
  const days = { ...(from && { from }), ...(to && { to }) };
  const query = useQuery({
    queryKey: ['operator', 'revenue', days],
    queryFn: async () => operator.vault.revenue({ ...days, by: 'day' }),
  });
  const set = (change: { from?: string; to?: string }) =>
    void navigate({
      search: {
        tab: 'revenue',
        ...Object.fromEntries(Object.entries({ ...days, ...change }).filter(([, day]) => day)),
      },
    });
  return (
    <>
      <Section>
        <div data-filters className="grid max-w-md grid-cols-2 gap-3">
          <TextField
            label="From"
            type="date"
            value={from ?? ''}
            hint="Default: the first of this month"
            onChange={(event) => set({ from: event.target.value })}
          />
          <TextField label="To" type="date" value={to ?? ''} onChange={(event) => set({ to: event.target.value })} />
        </div>
      </Section>
      <Loaded query={query} skeleton={<div className="skeleton h-40" />}>
        {({ total, periods }) => (
          <>
            <Section>
              <Figures>
                <Figure label="Net revenue" note="Fees, less what was given back">
                  <Money cents={total.netRevenue} />
                </Figure>
                <Figure label="Fees">
                  <Money cents={total.fees} />
                </Figure>
                <Figure label="Prices charged" note={`${count(total.charges)} tasks`}>
                  <Money cents={total.volume} />
                </Figure>
                <Figure label="Prices returned" note={`${count(total.refunds)} tasks`}>
                  <Money cents={total.volumeRefunded} />
                </Figure>
              </Figures>
            </Section>
            <Section
              title="By day"
              lead="Days on which something happened. They begin and end at midnight UTC."
              actions={<CopyTable />}
              flush
            >
              <Table
                label="Revenue by day"
                columns={columns}
                rows={periods.filter(isFull).toReversed()}
                rowKey={({ period }) => period}
                empty={
                  <Empty
                    title="Nothing was earned in these days"
                    actions={
                      (from || to) && (
                        <Button kind="primary" onClick={() => set({ from: '', to: '' })}>
                          Show this month
                        </Button>
                      )
                    }
                  >
                    A fee is earned when a task passes. It is given back when the buyer is.
                  </Empty>
                }
              />
            </Section>
          </>
        )}
      </Loaded>
    </>
  );
}
