import {
  Area,
  Line,
  PolarAngleAxis,
  PolarGrid,
  PolarRadiusAxis,
  Radar,
  RadarChart,
  ResponsiveContainer,
} from 'recharts';
import { TimePlot } from '../../ui/TimePlot.tsx';
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
export const ScoreHistory = ({ days }: { days: ReturnType<typeof plotted> }) => (
  <TimePlot
    data={days}
    className="h-60"
    atTick={dayOfMonth}
    atWhole={(at) => wholeDay.format(at)}
    tick={String}
    tickPx={44}
    domain={scores}
    ticks={[0, 250, 500, 750, 1000]}
    hint={(value, name) => [Array.isArray(value) ? value.join(' to ') : String(value), name]}
  >
    <Area dataKey="range" name="Range" stroke="none" fill={accent} fillOpacity={0.14} isAnimationActive={false} />
    <Line
      dataKey="score"
      name="Score"
      stroke={accent}
      strokeWidth={2}
      dot={days.length < 15 ? { r: 3, fill: accent, strokeWidth: 0 } : false}
      isAnimationActive={false}
    />
  </TimePlot>
);

// The days of a score are those of UTC.
const dayFormat = new Intl.DateTimeFormat(navigator.language, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const wholeDay = new Intl.DateTimeFormat(navigator.language, { dateStyle: 'medium', timeZone: 'UTC' });
const dayOfMonth = (at: number) => dayFormat.format(at);
