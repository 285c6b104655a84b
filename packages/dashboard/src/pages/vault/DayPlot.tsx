import { Area, Bar, CartesianGrid, ComposedChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { date, money } from '../../ui/format.ts';
import type { Day } from './daily.ts';

interface DayPlotProps {
  days: readonly Day[];
  /** What the plot shows, for those who do not see it. */
  label: string;
  /** A balance is a line; what each day adds is a bar. */
  drawn: 'line' | 'bars';
}

/** An amount of each day. */
export function DayPlot({ days, label, drawn }: DayPlotProps) {
  return (
    <div role="img" aria-label={label} className="h-56 text-accent">
      <ResponsiveContainer width="100%" height="100%">
        <ComposedChart data={days} margin={{ top: 8, right: 4, bottom: 0, left: 4 }} accessibilityLayer={false}>
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
          <Tooltip
            content={Hint}
            cursor={drawn === 'line' ? { stroke: 'var(--color-line-strong)' } : { fill: 'var(--color-sunken)' }}
            isAnimationActive={false}
          />
          {drawn === 'line' ? (
            <Area
              dataKey="cents"
              type="stepAfter"
              stroke="currentColor"
              strokeWidth={1.5}
              fill="currentColor"
              fillOpacity={0.12}
              isAnimationActive={false}
            />
          ) : (
            <Bar dataKey="cents" fill="currentColor" radius={[2, 2, 0, 0]} isAnimationActive={false} />
          )}
        </ComposedChart>
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
