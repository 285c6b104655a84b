import { useQuery } from '@tanstack/react-query';
import { Area, AreaChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { agora } from '../../api/client.ts';
import { date, money } from '../../ui/format.ts';
import { Empty, Failure } from '../../ui/States.tsx';
import { type Day, dailyBalances, daysShown } from './daily.ts';

const dayMs = 86_400_000;
/** Movements are fetched by hundreds, no more than this often; a busier pool is drawn from a later day on. */
const pagesAtMost = 5;

const query = {
  queryKey: ['vault', 'daily'],
  queryFn: async (): Promise<Day[]> => {
    const since = new Date(Date.now() - daysShown * dayMs);
    const filter = { account: 'pool_available', from: since.toISOString(), pageSize: 100 } as const;
    const pool = await agora.vault.getPool();
    const movements = [];
    let page = await agora.vault.poolTransactions(filter);
    for (let count = 1; ; count++) {
      movements.push(...page.data);
      const next = count < pagesAtMost ? await page.nextPage() : null;
      if (!next) return dailyBalances(movements, pool.balance + pool.owed, page.hasNextPage(), Date.now());
      page = next;
    }
  },
};

/** The pool's balance at the end of each day. */
export function BalancePlot() {
  const { data: days, error, refetch } = useQuery(query);
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!days) return <div className="skeleton h-56" />;
  if (days.every(({ cents }) => cents === 0)) {
    return <Empty title="No movements yet">Top up, and the balance of each day is drawn here.</Empty>;
  }
  const last = days.at(-1)!;
  const label = `Balance at the end of each day, from ${money(days[0]!.cents)} on ${date(days[0]!.at)} to ${money(last.cents)} today`;
  return (
    <div role="img" aria-label={label} className="h-56 text-accent">
      <ResponsiveContainer width="100%" height="100%">
        <AreaChart data={days} margin={{ top: 8, right: 4, bottom: 0, left: 4 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--color-line)" />
          <XAxis
            dataKey="at"
            tickFormatter={(at: number) => dayMonth.format(at)}
            tick={tick}
            axisLine={false}
            tickLine={false}
            minTickGap={40}
          />
          <YAxis
            tickFormatter={(cents: number) => shortMoney.format(cents / 100)}
            tick={tick}
            axisLine={false}
            tickLine={false}
            width={52}
          />
          <Tooltip content={Hint} cursor={{ stroke: 'var(--color-line-strong)' }} isAnimationActive={false} />
          <Area
            dataKey="cents"
            type="stepAfter"
            stroke="currentColor"
            strokeWidth={1.5}
            fill="currentColor"
            fillOpacity={0.12}
            isAnimationActive={false}
          />
        </AreaChart>
      </ResponsiveContainer>
    </div>
  );
}

const tick = { fill: 'var(--color-faint)', fontSize: 12 };
const dayMonth = new Intl.DateTimeFormat(navigator.language, { day: 'numeric', month: 'short' });
const shortMoney = new Intl.NumberFormat(navigator.language, {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 1,
});

function Hint({ active, payload }: { active?: boolean; payload?: readonly { payload?: Day }[] }) {
  const day = payload?.[0]?.payload;
  if (!active || !day) return null;
  return (
    <div className="figures rounded-base border border-line bg-surface px-3 py-2 text-small text-ink shadow-raised">
      <div className="text-soft">{date(day.at)}</div>
      <div className="font-medium">{money(day.cents)}</div>
    </div>
  );
}
