import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  PolarAngleAxis,
  PolarGrid,
  PolarRadiusAxis,
  Radar,
  RadarChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { dimensions, type plotted, type ReputationData } from './reputation-words.ts';

// Charts live in a chunk of their own: recharts is larger than all pages together.

const tick = { fill: 'var(--color-soft)', fontSize: 12 } as const;
const accent = 'var(--color-accent)';
const line = 'var(--color-line)';
const scores: [number, number] = [0, 1000];

/** The four dimensions of a score. The text and the tables beside it say the same. */
export function DimensionRadar({ values }: { values: ReputationData['dimensions'] }) {
  const data = dimensions.map(({ name, label }) => ({ label, score: values[name] }));
  return (
    <div aria-hidden className="h-60">
      <ResponsiveContainer width="100%" height="100%">
        <RadarChart data={data} outerRadius={66} accessibilityLayer={false}>
          <PolarGrid stroke={line} />
          <PolarAngleAxis dataKey="label" tick={tick} />
          <PolarRadiusAxis domain={scores} tick={false} axisLine={false} tickCount={5} />
          <Radar
            dataKey="score"
            stroke={accent}
            strokeWidth={1.5}
            fill={accent}
            fillOpacity={0.18}
            isAnimationActive={false}
          />
        </RadarChart>
      </ResponsiveContainer>
    </div>
  );
}

/** The score over time, and the range in which it lies with 90 % certainty. */
export function ScoreHistory({ days }: { days: ReturnType<typeof plotted> }) {
  return (
    <div aria-hidden className="h-60">
      <ResponsiveContainer width="100%" height="100%">
        <ComposedChart data={days} margin={{ top: 12, right: 8, bottom: 0, left: -18 }} accessibilityLayer={false}>
          <CartesianGrid stroke={line} vertical={false} />
          <XAxis
            dataKey="at"
            type="number"
            scale="time"
            domain={['dataMin', 'dataMax']}
            tick={tick}
            tickLine={false}
            axisLine={{ stroke: line }}
            minTickGap={48}
            tickFormatter={dayOfMonth}
          />
          <YAxis domain={scores} ticks={[0, 250, 500, 750, 1000]} tick={tick} tickLine={false} axisLine={false} />
          <Tooltip
            isAnimationActive={false}
            labelFormatter={(at) => wholeDay.format(Number(at))}
            formatter={(value, name) =>
              name === 'range' && Array.isArray(value) ? [value.join(' to '), 'Range'] : [value, 'Score']
            }
            contentStyle={{
              background: 'var(--color-surface)',
              border: `1px solid ${line}`,
              borderRadius: 8,
              fontSize: 13,
            }}
            itemStyle={{ color: 'var(--color-ink)' }}
          />
          <Area dataKey="range" stroke="none" fill={accent} fillOpacity={0.14} isAnimationActive={false} />
          <Line
            dataKey="score"
            stroke={accent}
            strokeWidth={2}
            dot={days.length < 15 ? { r: 3, fill: accent, strokeWidth: 0 } : false}
            isAnimationActive={false}
          />
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}

// The days of a score are those of UTC.
const dayFormat = new Intl.DateTimeFormat(navigator.language, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const wholeDay = new Intl.DateTimeFormat(navigator.language, { dateStyle: 'medium', timeZone: 'UTC' });
const dayOfMonth = (at: number) => dayFormat.format(at);
