import type { Operations, ReplyOf } from '@agora-market/contract';
import { type Call, dayMs, invalidField, type Pool, type Queryable, rows } from '../../platform/index.ts';
import { disputeRefunds } from '../ledger/dispute-money.ts';

type Revenue = ReplyOf<Operations['vault.revenue']>;
type Period = Revenue['periods'][number];

/** A year and a day, by day; by month that is enough for a century. */
const maxPeriods = 1200;

const startOf = (date: string) => new Date(`${date}T00:00:00.000Z`);
const dateOf = (at: Date) => at.toISOString().slice(0, 10);

/** Names of the days or months from one day to another, both included. */
function periodsOf(from: string, to: string, by: 'day' | 'month'): string[] {
  const names: string[] = [];
  for (let at = startOf(from); at <= startOf(to); at = new Date(at.getTime() + dayMs)) {
    const name = by === 'day' ? dateOf(at) : dateOf(at).slice(0, 7);
    if (names.at(-1) !== name) names.push(name);
    if (names.length > maxPeriods) throw invalidField('from', `must be at most ${maxPeriods} ${by}s before to`);
  }
  return names;
}

/** Causes that return a price or a share of it: thumbs-down or dispute. */
const refunds = `'payout_refunded', 'fee_refunded', ${disputeRefunds}`;

/** Causes that charge a price, by tasks, by work accepted after its failure, and by agreements of the legacy exchange. */
const fees = `'fee', 'accepted_fee', 'escrow_fee'`;
const payouts = `'payout', 'accepted_payout', 'escrow_paid'`;

/** Charged prices are fee and payout together; a refund gives both back. Every charged task and every completed agreement has one payout. */
const readPeriods = (db: Queryable, from: string, to: string, by: 'day' | 'month') =>
  rows<Omit<Period, 'netRevenue'>>(
    db,
    'statements_revenue',
    `select to_char(created_at at time zone 'UTC', case $3::text when 'day' then 'YYYY-MM-DD' else 'YYYY-MM' end) as period,
       coalesce(sum(amount) filter (where cause in (${fees})), 0)::bigint as fees,
       coalesce(sum(amount) filter (where cause in ('fee_refunded', 'dispute_fee_refunded')), 0)::bigint as "feesRefunded",
       coalesce(sum(amount) filter (where cause = 'dispute_covered'), 0)::bigint as "disputeCosts",
       coalesce(sum(amount) filter (where cause in (${fees}, ${payouts})), 0)::bigint as volume,
       coalesce(sum(amount) filter (where cause in (${refunds})), 0)::bigint as "volumeRefunded",
       count(*) filter (where cause in (${payouts})) as charges,
       count(distinct subject) filter (where cause in (${refunds})) as refunds
     from ledger_entries
     where side = 1 and cause in (${fees}, ${payouts}, ${refunds}) and created_at >= $1 and created_at < $2
     group by 1`,
    [from, to, by],
  );

const nothing = {
  fees: 0,
  feesRefunded: 0,
  disputeCosts: 0,
  netRevenue: 0,
  volume: 0,
  volumeRefunded: 0,
  charges: 0,
  refunds: 0,
};

/** What the platform earned and the volume, also for periods in which nothing happened. */
export async function revenue(pool: Pool, asked: Call<Operations['vault.revenue']>['query'], now: Date) {
  const { from = `${dateOf(now).slice(0, 7)}-01`, to = dateOf(now), by } = asked;
  if (from > to) throw invalidField('from', 'must not be after to');
  const names = periodsOf(from, to, by);
  const end = new Date(startOf(to).getTime() + dayMs).toISOString();
  const found = new Map(
    (await readPeriods(pool, startOf(from).toISOString(), end, by)).map((one) => [one.period, one]),
  );
  const periods = names.map((period): Period => {
    const one = { ...nothing, ...found.get(period), period };
    return { ...one, netRevenue: one.fees - one.feesRefunded - one.disputeCosts };
  });
  const total = { ...nothing };
  for (const period of periods) {
    for (const key of Object.keys(nothing) as (keyof typeof nothing)[]) total[key] += period[key];
  }
  return { from, to, by, currency: 'USD' as const, total, periods };
}
