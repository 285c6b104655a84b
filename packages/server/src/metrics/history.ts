import { type HistoryFigure, type HistoryPeriod, historyFigures, type Operations } from '@agora-market/contract';
import { type Call, dayMs, hourMs, minuteMs, type Pool, requestSeconds, rows } from '../platform/index.ts';
import { databaseHost, type KeptFigures, type Sample, type ServerFigures } from './samples.ts';

/** What is drawn over time, of the samples that are kept. */

interface Period {
  lengthMs: number;
  stepMs: number;
  /** Of samples only those that are kept for long. */
  isCoarse: boolean;
}

const periods: Record<HistoryPeriod, Period> = {
  hour: { lengthMs: hourMs, stepMs: minuteMs, isCoarse: false },
  day: { lengthMs: dayMs, stepMs: 5 * minuteMs, isCoarse: false },
  week: { lengthMs: 7 * dayMs, stepMs: 30 * minuteMs, isCoarse: true },
  month: { lengthMs: 30 * dayMs, stepMs: 2 * hourMs, isCoarse: true },
};

/** The last sample of each host in each step, oldest first. */
const readSamples = async (pool: Pool, from: Date, { stepMs, isCoarse }: Period) =>
  (
    await rows<{ host: string; at: string; figures: unknown }>(
      pool,
      `metrics_samples_${isCoarse ? 'coarse' : 'all'}`,
      `select distinct on (host, step) host, at, figures from (
         select host, at, figures, floor(extract(epoch from at) * 1000 / $2::float8) as step from metric_samples
         where at >= $1 ${isCoarse ? 'and is_kept' : 'and is_kept in (true, false)'}
       ) s order by host, step, at desc`,
      [from.toISOString(), stepMs],
    )
  ).map(({ host, at, figures }) => ({ host, atMs: Date.parse(at), figures }));

type Plot = Record<HistoryFigure, (number | null)[]>;

/** Adds up what is said of one figure at one time by several servers, or takes the largest. */
type Join = (before: number | null, value: number) => number;
const sum: Join = (before, value) => (before ?? 0) + value;
const most: Join = (before, value) => Math.max(before ?? value, value);

/** The time within which so large a part of the requests was answered, in milliseconds; null without requests. */
function quantileMs(within: readonly number[], part: number): number | null {
  const all = within.at(-1) ?? 0;
  if (all === 0) return null;
  const wanted = all * part;
  const nth = within.findIndex((count) => count >= wanted);
  const until = requestSeconds[nth];
  // Slower than the last bound: nothing more is known.
  if (until === undefined) return (requestSeconds.at(-1) ?? 0) * 1_000;
  const [below, from] = nth === 0 ? [0, 0] : [within[nth - 1] ?? 0, requestSeconds[nth - 1] ?? 0];
  const here = (within[nth] ?? 0) - below;
  return (from + ((until - from) * (wanted - below)) / here) * 1_000;
}

const less = (now: readonly number[], before: readonly number[]) => now.map((count, nth) => count - (before[nth] ?? 0));

/** Samples of one host, each with the one before. */
function* pairs<Figures>(samples: readonly Sample<Figures>[]) {
  for (const [nth, now] of samples.entries()) {
    const before = samples[nth - 1];
    yield { now, before, seconds: before === undefined ? 0 : (now.atMs - before.atMs) / 1_000 };
  }
}

function drawServers(hosts: Sample<ServerFigures>[][], set: Setter, withins: Map<number, number[]>): void {
  for (const { now, before, seconds } of hosts.flatMap((samples) => [...pairs(samples)])) {
    const { figures, atMs } = now;
    set(atMs, 'memoryBytes', figures.memoryBytes, sum);
    set(atMs, 'connectionsBusy', figures.connectionsBusy, sum);
    set(atMs, 'connectionsWaiting', figures.connectionsWaiting, sum);
    set(atMs, 'timedJobLagSeconds', figures.timedJobLagSeconds, most);
    if (before === undefined) continue;
    const since = before.figures;
    const rate = (name: 'requests' | 'clientErrors' | 'serverErrors') => (figures[name] - since[name]) / seconds;
    set(atMs, 'requests', rate('requests'), sum);
    set(atMs, 'clientErrors', rate('clientErrors'), sum);
    set(atMs, 'serverErrors', rate('serverErrors'), sum);
    const [active, idle] = [figures.loopActiveMs - since.loopActiveMs, figures.loopIdleMs - since.loopIdleMs];
    if (active + idle > 0) set(atMs, 'loopBusy', active / (active + idle), most);
    const within = less(figures.within, since.within);
    const place = set.place(atMs);
    const others = withins.get(place);
    withins.set(place, others ? within.map((count, nth) => count + (others[nth] ?? 0)) : within);
  }
}

const one = (figure: KeptFigures[string] | undefined) => (typeof figure === 'number' ? figure : null);
const ofLabel = (figure: KeptFigures[string] | undefined, label: string) =>
  typeof figure === 'object' && figure !== null ? (figure[label] ?? 0) : null;
const all = (figure: KeptFigures[string] | undefined, join: Join) =>
  typeof figure === 'object' && figure !== null ? Object.values(figure).reduce(join, 0) : null;

/** What a sample of the database says. */
const levels: Partial<Record<HistoryFigure, (figures: KeptFigures) => number | null>> = {
  openSubmitted: (of) => ofLabel(of.agora_open_tasks, 'submitted'),
  openRouting: (of) => ofLabel(of.agora_open_tasks, 'routing'),
  openExecuting: (of) => ofLabel(of.agora_open_tasks, 'executing'),
  openQualityCheck: (of) => ofLabel(of.agora_open_tasks, 'quality_check'),
  queuedTasks: (of) => one(of.agora_queued_tasks),
  overdueSeconds: (of) => one(of.agora_overdue_tasks_seconds),
  queuedJobs: (of) => all(of.agora_queued_jobs, sum),
  queuedJobsLateSeconds: (of) => one(of.agora_queued_jobs_late_seconds),
  eventsBehind: (of) => all(of.agora_log_readers_behind_events, most),
  gateSeconds: (of) => one(of.agora_gate_duration_seconds),
  sandboxes: (of) => all(of.agora_sandboxes, sum),
};

/** Of totals, what was added in an hour. */
const totals: Partial<Record<HistoryFigure, (figures: KeptFigures) => number | null>> = {
  passed: (of) => ofLabel(of.agora_ended_tasks, 'completed'),
  failed: (of) => ofLabel(of.agora_ended_tasks, 'failed'),
  refunded: (of) => ofLabel(of.agora_ended_tasks, 'refunded'),
  paidInCents: (of) => ofLabel(of.agora_paid_cents, 'in'),
  paidOutCents: (of) => ofLabel(of.agora_paid_cents, 'out'),
};

function drawDatabase(samples: Sample<KeptFigures>[], set: Setter): void {
  for (const { now, before, seconds } of pairs(samples)) {
    for (const [name, read] of Object.entries(levels)) {
      const value = read(now.figures);
      if (value !== null) set(now.atMs, name as HistoryFigure, value, most);
    }
    for (const [name, read] of Object.entries(totals)) {
      const [value, earlier] = [read(now.figures), before === undefined ? null : read(before.figures)];
      // A total that has fallen says nothing of what was added: the database is of an earlier time, or rows are gone.
      if (value !== null && earlier !== null && value >= earlier)
        set(now.atMs, name as HistoryFigure, ((value - earlier) * 3_600) / seconds, sum);
    }
  }
}

interface Setter {
  (atMs: number, name: HistoryFigure, value: number, join: Join): void;
  /** Which of the times it belongs to. */
  place(atMs: number): number;
}

/** Three digits behind the point are more than a plot shows. */
const rounded = (value: number) => Math.round(value * 1_000) / 1_000;

export async function readHistory(pool: Pool, { query: { period }, now }: Call<Operations['operator.history']>) {
  const { lengthMs, stepMs } = periods[period];
  const count = lengthMs / stepMs;
  const firstMs = Math.floor(now.getTime() / stepMs) * stepMs - (count - 1) * stepMs;
  // A rate needs the sample before.
  const found = await readSamples(pool, new Date(firstMs - stepMs), periods[period]);
  const figures = Object.fromEntries(
    Object.keys(historyFigures).map((name) => [name, new Array<number | null>(count).fill(null)]),
  ) as Plot;
  const place = (atMs: number) => Math.floor((atMs - firstMs) / stepMs);
  const set: Setter = Object.assign(
    (atMs: number, name: HistoryFigure, value: number, join: Join) => {
      const at = place(atMs);
      if (at >= 0 && at < count) figures[name][at] = rounded(join(figures[name][at] ?? null, value));
    },
    { place },
  );
  const hosts = Map.groupBy(found, ({ host }) => host);
  drawDatabase((hosts.get(databaseHost) ?? []) as Sample<KeptFigures>[], set);
  hosts.delete(databaseHost);
  const withins = new Map<number, number[]>();
  drawServers([...hosts.values()] as Sample<ServerFigures>[][], set, withins);
  for (const [at, within] of withins) {
    if (at < 0 || at >= count) continue;
    figures.latencyP50Ms[at] = quantileMs(within, 0.5);
    figures.latencyP95Ms[at] = quantileMs(within, 0.95);
  }
  return {
    period,
    stepMs,
    at: Array.from({ length: count }, (_, nth) => new Date(firstMs + nth * stepMs).toISOString()),
    servers: hosts.size,
    figures,
  };
}
