import { useQuery } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { date, money } from '../../ui/format.ts';
import { Empty, Failure } from '../../ui/States.tsx';
import { DayPlot } from './DayPlot.tsx';
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
  return <DayPlot days={days} label={label} drawn="line" />;
}
