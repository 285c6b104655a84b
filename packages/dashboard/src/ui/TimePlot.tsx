import type { ReactNode } from 'react';
import { CartesianGrid, ComposedChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';

// In a chunk of its own, with the plots that use it: recharts is larger than all pages together.

interface TimePlotProps {
  /** Each with `at`, in ms, from the earliest on. */
  data: readonly { at: number }[];
  /** What it shows, for those who do not see it. None where a text beside it says the same. */
  label?: string;
  /** Its height. */
  className: string;
  /** How a time is said under the plot and where it is pointed at. */
  atTick: (at: number) => string;
  atWhole: (at: number) => string;
  /** How a value is said beside the plot. */
  tick: (value: number) => string;
  /** What is said of a value that is pointed at, and what the value is called. */
  hint: (value: unknown, name: string) => [value: string, name: string];
  /** Room for the values beside the plot, in pixels. */
  tickPx: number;
  /** From the lowest to the highest that there can be. Default: from 0 as far as the values go. */
  domain?: [number, number];
  ticks?: number[];
  /** Each time has a place of its own width, as bars need it. */
  isByPlace?: boolean;
  /** Lines, areas or bars, not animated. */
  children: ReactNode;
}

const tickLook = { fill: 'var(--color-soft)', fontSize: 12 } as const;
const line = 'var(--color-line)';
const overTime = { type: 'number', scale: 'time', domain: ['dataMin', 'dataMax'] } as const;

const compact = new Intl.NumberFormat(navigator.language, {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 1,
});

/** `$1.2K` of cents. */
export const shortMoney = (cents: number): string => compact.format(cents / 100);

/** Values over time. */
export function TimePlot(props: TimePlotProps) {
  const { data, label, className, atTick, atWhole, tick, hint, tickPx, domain, ticks, isByPlace, children } = props;
  return (
    <div {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })} className={className}>
      <ResponsiveContainer width="100%" height="100%">
        <ComposedChart data={data} margin={{ top: 8, right: 4, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <CartesianGrid stroke={line} vertical={false} />
          <XAxis
            dataKey="at"
            {...(!isByPlace && overTime)}
            tick={tickLook}
            tickLine={false}
            axisLine={{ stroke: line }}
            minTickGap={48}
            tickFormatter={atTick}
          />
          <YAxis
            tick={tickLook}
            tickLine={false}
            axisLine={false}
            width={tickPx}
            tickFormatter={tick}
            {...(domain && { domain })}
            {...(ticks ? { ticks } : { tickCount: 4 })}
          />
          <Tooltip
            isAnimationActive={false}
            cursor={isByPlace ? { fill: 'var(--color-sunken)' } : { stroke: 'var(--color-line-strong)' }}
            labelFormatter={(at) => atWhole(Number(at))}
            formatter={(value, name) => hint(value, String(name))}
            contentStyle={{
              background: 'var(--color-surface)',
              border: `1px solid ${line}`,
              borderRadius: 8,
              fontSize: 13,
            }}
            itemStyle={{ color: 'var(--color-ink)' }}
          />
          {children}
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}
