import type { HistoryFigure } from '@agora-market/contract';
import type { Reply } from '@agora-market/sdk';
import { useMemo } from 'react';
import { Line } from 'recharts';
import { bytes, count, dateTime, duration, money, percent } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { shortMoney, TimePlot } from '../../ui/TimePlot.tsx';

type History = Reply<'operator.history'>;

interface Series {
  figure: HistoryFigure;
  label: string;
}

interface Plotted {
  title: string;
  lead?: string;
  series: readonly Series[];
  /** How a value is said, and beside the plot, where there is less room. */
  say: (value: number) => string;
  tick?: (value: number) => string;
}

const few = new Intl.NumberFormat(navigator.language, { maximumFractionDigits: 2 });
const number = (value: number) => few.format(value);
const seconds = (value: number) => duration(value * 1_000);

const plots: readonly Plotted[] = [
  {
    title: 'Requests a second',
    series: [
      { figure: 'requests', label: 'All' },
      { figure: 'clientErrors', label: 'Refused (4xx)' },
      { figure: 'serverErrors', label: 'Failed (5xx)' },
    ],
    say: number,
  },
  {
    title: 'Time of a request',
    lead: 'Without those that wait on purpose.',
    series: [
      { figure: 'latencyP50Ms', label: 'Half within' },
      { figure: 'latencyP95Ms', label: '95 % within' },
    ],
    say: duration,
  },
  {
    title: 'Open tasks',
    series: [
      { figure: 'openSubmitted', label: 'Waiting' },
      { figure: 'openRouting', label: 'Offered' },
      { figure: 'openExecuting', label: 'Being worked on' },
      { figure: 'openQualityCheck', label: 'Being checked' },
    ],
    say: count,
  },
  {
    title: 'Tasks ended an hour',
    series: [
      { figure: 'passed', label: 'Passed' },
      { figure: 'failed', label: 'Failed' },
      { figure: 'refunded', label: 'Refunded' },
    ],
    say: number,
  },
  {
    title: 'Time from delivery to verdict',
    lead: 'The mean of the quarter of an hour before.',
    series: [{ figure: 'gateSeconds', label: 'Gate' }],
    say: seconds,
  },
  {
    title: 'Money an hour',
    series: [
      { figure: 'paidInCents', label: 'Paid in' },
      { figure: 'paidOutCents', label: 'Paid out' },
    ],
    say: money,
    tick: shortMoney,
  },
  {
    title: 'Waiting work',
    series: [
      { figure: 'queuedTasks', label: 'Tasks in the queue' },
      { figure: 'queuedJobs', label: 'Queued jobs' },
      { figure: 'eventsBehind', label: 'Events not yet read' },
    ],
    say: count,
  },
  {
    title: 'How late',
    series: [
      { figure: 'timedJobLagSeconds', label: 'Timed jobs' },
      { figure: 'queuedJobsLateSeconds', label: 'Queued jobs' },
      { figure: 'overdueSeconds', label: 'Overdue tasks' },
    ],
    say: seconds,
  },
  { title: 'Sandboxes', series: [{ figure: 'sandboxes', label: 'Live' }], say: count },
  {
    title: 'Connections to the database',
    series: [
      { figure: 'connectionsBusy', label: 'In use' },
      { figure: 'connectionsWaiting', label: 'Requests without one' },
    ],
    say: count,
  },
  {
    title: 'Event loop',
    lead: 'How busy that of the busiest server is.',
    series: [{ figure: 'loopBusy', label: 'Busy' }],
    say: percent,
  },
  {
    title: 'Memory',
    lead: 'Of all servers together.',
    series: [{ figure: 'memoryBytes', label: 'Resident' }],
    say: bytes,
  },
];

/** Colour and dashes of a line: whoever sees no colours tells them by the dashes. */
const looks = [
  ['var(--color-accent)', undefined],
  ['var(--color-warn)', '6 3'],
  ['var(--color-bad)', '2 3'],
  ['var(--color-info)', '8 3 2 3'],
] as const;

/** What the server keeps of its figures, drawn over time. */
export function Plots({ history }: { history: History }) {
  const atMs = useMemo(() => history.at.map((at) => Date.parse(at)), [history]);
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      {plots.map((plot) => (
        <Plot key={plot.title} plot={plot} history={history} atMs={atMs} />
      ))}
    </div>
  );
}

const isKnown = (value: number | null): value is number => value !== null;

/** Its newest value and its highest. */
function summaryOf(values: readonly (number | null)[] | undefined, say: Plotted['say']) {
  const known = (values ?? []).filter(isKnown);
  const last = known.at(-1);
  return last === undefined ? null : { last: say(last), most: say(known.reduce((a, b) => Math.max(a, b))) };
}

function Plot({ plot, history, atMs }: { plot: Plotted; history: History; atMs: number[] }) {
  const { title, lead, series, say, tick = say } = plot;
  const data = useMemo(
    () =>
      atMs.map((at, nth) => ({
        at,
        ...Object.fromEntries(series.map(({ figure }) => [figure, history.figures[figure]?.[nth] ?? null])),
      })),
    [atMs, history, series],
  );
  const said = series.map(({ figure, label }) => ({ label, summary: summaryOf(history.figures[figure], say) }));
  const words = said.map(({ label, summary }) =>
    summary ? `${label}: latest ${summary.last}, highest ${summary.most}` : `${label}: nothing sampled`,
  );
  return (
    <Section title={title} lead={lead}>
      <TimePlot
        data={data}
        label={`${title}. ${words.join('. ')}.`}
        className="h-44"
        atTick={history.stepMs < 30 * 60_000 ? clockTime : dayMonth}
        atWhole={dateTime}
        tick={tick}
        tickPx={64}
        hint={(value, name) => [say(Number(value)), name]}
      >
        {series.map(({ figure, label }, nth) => (
          <Line
            key={figure}
            dataKey={figure}
            name={label}
            stroke={looks[nth]?.[0]}
            strokeDasharray={looks[nth]?.[1]}
            strokeWidth={1.75}
            dot={false}
            isAnimationActive={false}
          />
        ))}
      </TimePlot>
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-small text-soft">
        {said.map(({ label, summary }, nth) => (
          <li key={label} className="flex items-center gap-1.5">
            <svg aria-hidden="true" width="18" height="4" viewBox="0 0 18 4">
              <line
                x1="0"
                y1="2"
                x2="18"
                y2="2"
                stroke={looks[nth]?.[0]}
                strokeDasharray={looks[nth]?.[1]}
                strokeWidth="2"
              />
            </svg>
            {label} <span className="figures font-medium text-ink">{summary?.last ?? '–'}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const clockFormat = new Intl.DateTimeFormat(navigator.language, { timeStyle: 'short' });
const clockTime = (at: number) => clockFormat.format(at);
const dayFormat = new Intl.DateTimeFormat(navigator.language, { day: 'numeric', month: 'short' });
const dayMonth = (at: number) => dayFormat.format(at);
