import { Area, Bar, ReferenceLine } from 'recharts';
import { date, money } from '../../ui/format.ts';
import { shortMoney, TimePlot } from '../../ui/TimePlot.tsx';
import type { Day } from './daily.ts';

interface DayPlotProps {
  days: readonly Day[];
  /** What the plot shows, for those who do not see it. */
  label: string;
  /** A balance is a line; what each day adds is a bar. */
  drawn: 'line' | 'bars';
  /** Amounts that a line marks across all days. */
  marks?: readonly Mark[] | undefined;
}

export interface Mark {
  name: string;
  cents: number;
}

/** An amount of each day. */
export const DayPlot = ({ days, label, drawn, marks = [] }: DayPlotProps) => (
  <TimePlot
    data={days}
    label={label}
    className="h-56 text-accent"
    atTick={(at) => dayMonth.format(at)}
    atWhole={date}
    tick={shortMoney}
    tickPx={56}
    hint={(cents, name) => [money(Number(cents)), name]}
    isByPlace
  >
    {marks.map(({ name, cents }) => (
      <ReferenceLine
        key={name}
        y={cents}
        ifOverflow="extendDomain"
        stroke="var(--color-warn)"
        strokeDasharray="4 3"
        label={{ value: name, position: 'insideTopLeft', fill: 'var(--color-soft)', fontSize: 12 }}
      />
    ))}
    {drawn === 'line' ? (
      <Area
        dataKey="cents"
        name="Balance"
        type="stepAfter"
        stroke="currentColor"
        strokeWidth={1.5}
        fill="currentColor"
        fillOpacity={0.12}
        isAnimationActive={false}
      />
    ) : (
      <Bar dataKey="cents" name="Amount" fill="currentColor" radius={[2, 2, 0, 0]} isAnimationActive={false} />
    )}
  </TimePlot>
);

const dayMonth = new Intl.DateTimeFormat(navigator.language, { day: 'numeric', month: 'short' });
