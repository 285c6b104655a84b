import type { ItemOf, OwnAgent, Reply } from '@agora-market/sdk';
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ownAgentsQuery } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { poolQuery } from '../../api/pool.ts';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { money, percent } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { budgetQuery } from '../policies/queries.ts';
import type { Month } from '../totals/days.ts';
import type { Mark } from './DayPlot.tsx';

type Budget = Reply<'vault.getBudget'>;

/** Agents whose budgets are read, the newest first: each is a request. */
const agentsRead = 20;

/** Budgets of the agents that can spend; `isWhole` if these are all. */
function useBudgets(): { budgets: { agent: OwnAgent; budget: Budget }[]; isWhole: boolean } {
  const active = useQuery(ownAgentsQuery).data?.filter(({ status }) => status === 'active');
  const read = active?.slice(0, agentsRead) ?? [];
  const found = useQueries({ queries: read.map(({ id }) => budgetQuery(id)) });
  const budgets = read.flatMap((agent, nth) => {
    const budget = found[nth]?.data;
    return budget ? [{ agent, budget }] : [];
  });
  return { budgets, isWhole: active !== undefined && budgets.length === active.length };
}

/** Limits of a day, for the plot of days: of auto-top-up, and of all agents together if each of them has one. */
export function useDailyLimits(): Mark[] {
  const autoTopUp = useQuery(poolQuery).data?.autoTopUp;
  const { budgets, isWhole } = useBudgets();
  const daily = budgets.flatMap(({ budget: { dailyLimit } }) => dailyLimit ?? []);
  const isLimited = isWhole && budgets.length > 0 && daily.length === budgets.length;
  return [
    ...(autoTopUp?.enabled && autoTopUp.maxPerDay !== null
      ? [{ name: 'Auto-top-up, most in 24 hours', cents: autoTopUp.maxPerDay }]
      : []),
    ...(isLimited
      ? [{ name: 'Your agents, most in 24 hours', cents: daily.reduce((sum, cents) => sum + cents, 0) }]
      : []),
  ];
}

/** The month beside what auto-top-up may add. */
export function MonthLimit({ soFar, forecast }: Month) {
  const autoTopUp = useQuery(poolQuery).data?.autoTopUp;
  if (!autoTopUp?.enabled || autoTopUp.maxPerMonth === null) return null;
  const { maxPerMonth } = autoTopUp;
  return (
    <p className="mt-4 text-small text-soft">
      Spent {money(soFar)} of the {money(maxPerMonth)} that{' '}
      <TextLink to="/vault" search={{ tab: 'top-up' }}>
        auto-top-up
      </TextLink>{' '}
      may add in 30 days
      {forecast !== null && `, likely ${money(forecast)} by the month’s end`}.
    </p>
  );
}

const schedulesQuery = queryOptions({
  queryKey: ['schedules', 'budgets'],
  queryFn: () => Array.fromAsync(agora.schedules.list({ pageSize: 100 })),
});

interface Limit {
  id: string;
  name: ReactNode;
  window: string;
  spent: number;
  limit: number;
}

function ofAgent({ id, displayName }: OwnAgent, { spent, ...budget }: Budget): Limit[] {
  const windows = [
    ['24 hours', spent.daily, budget.dailyLimit],
    ['7 days', spent.weekly, budget.weeklyLimit],
    ['30 days', spent.monthly, budget.monthlyLimit],
  ] as const;
  const name = (
    <TextLink to="/policies" search={{ agentId: id }}>
      <bdi>{displayName}</bdi>
    </TextLink>
  );
  return windows.flatMap(([window, spentIn, limit]) =>
    limit === null ? [] : [{ id: `${id} ${window}`, name, window, spent: spentIn, limit }],
  );
}

const ofSchedule = ({ id, name, spentThisMonth, monthlyBudget }: ItemOf<'schedules.list'>): Limit => ({
  id,
  name: (
    <TextLink to="/schedules/$scheduleId" params={{ scheduleId: id }}>
      <bdi>{name}</bdi>
    </TextLink>
  ),
  window: 'This month',
  spent: spentThisMonth,
  limit: monthlyBudget,
});

const share = ({ spent, limit }: Limit) => (limit === 0 ? 1 : spent / limit);

const columns: readonly Column<Limit>[] = [
  { id: 'name', header: 'Agent or schedule', name: true, heads: true, cell: ({ name }) => name },
  { id: 'window', header: 'Period', wide: true, cell: ({ window }) => window },
  {
    id: 'spent',
    header: 'Spent',
    right: true,
    cell: ({ spent, limit }) => (
      <span className="figures">
        {money(spent)} of {money(limit)}
      </span>
    ),
  },
  { id: 'share', header: 'Share', right: true, wide: true, sort: share, cell: (limit) => percent(share(limit)) },
];

/** Limits that the owner has set, with what is spent of each. */
export function Limits() {
  const { budgets, isWhole } = useBudgets();
  const schedules = useQuery(schedulesQuery);
  const rows = [
    ...budgets.flatMap(({ agent, budget }) => ofAgent(agent, budget)),
    ...(schedules.data ?? []).map(ofSchedule),
  ];
  return (
    <Section
      title="Limits"
      lead={`What your agents may spend by hiring others, and your schedules.${isWhole ? '' : ` Of your agents the newest ${agentsRead}.`}`}
      actions={<ButtonLink to="/policies">Set limits</ButtonLink>}
      flush
    >
      <Table
        label="Limits"
        columns={columns}
        rows={schedules.data && rows}
        rowKey={({ id }) => id}
        error={schedules.data ? null : schedules.error}
        retry={() => void schedules.refetch()}
        empty={
          <Empty title="No limit is set">
            Budgets of your agents stand here, and of your schedules, with what is spent of each.
          </Empty>
        }
      />
    </Section>
  );
}
