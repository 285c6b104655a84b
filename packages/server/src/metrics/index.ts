import { Gauge } from 'prom-client';
import { type Job, type Jobs, type Route, route, rows, withTimeout } from '../platform/index.ts';
import type { MetricsDeps } from './deps.ts';
import { type Figure, openWork, wholeTables } from './figures.ts';
import { readHistory } from './history.ts';
import { historyJobs } from './history-jobs.ts';
import type { DatabaseFigures, KeptFigures } from './samples.ts';

/** What the operator's monitoring reads, and the history that the server itself keeps of some of it. */
export function createMonitoring(deps: MetricsDeps): { routes: Route[]; jobs: Job[] } {
  addProcessFigures(deps);
  const database = databaseReader(deps);
  return {
    routes: [
      route('system.metrics', async () => {
        await database.read();
        return deps.metrics.text();
      }),
      route('operator.history', (call) => readHistory(deps.pool, call)),
    ],
    jobs: historyJobs(deps, database),
  };
}

function addProcessFigures({ metrics: { registry }, pool, jobs, waiting }: MetricsDeps): void {
  const registers = [registry];
  const ofJobs = (
    name: string,
    help: string,
    millisecondsOf: (state: ReturnType<Jobs['states']>[number]) => number | null,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['job'],
      registers,
      collect() {
        for (const state of jobs.states()) {
          const value = millisecondsOf(state);
          if (value !== null) this.set({ job: state.name }, value / 1000);
        }
      },
    });
  ofJobs('agora_job_lag_seconds', 'How late a timed job of this server begins, or is by now', ({ lagMs }) => lagMs);
  ofJobs('agora_job_duration_seconds', 'Duration of the last run of a timed job', ({ lastMs }) => lastMs);
  new Gauge({
    name: 'agora_database_connections',
    help: 'Connections of this server to the database; `waiting` are requests without one',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  new Gauge({
    name: 'agora_waiting_requests',
    help: 'Streams and long polls that wait at this server for a change',
    registers,
    collect() {
      this.set(waiting());
    },
  });
}

/** Monitoring that asks more often than this gets the figures of its last look. */
const openWorkMs = 5_000;
const wholeTablesMs = 60_000;
/** The database is told of as down rather than waited for longer. */
const patienceMs = 5_000;

/** Every server of a database tells the same of it. */
function databaseReader(deps: MetricsDeps): DatabaseFigures {
  const registers = [deps.metrics.registry];
  const up = new Gauge({
    name: 'agora_database_up',
    help: 'Whether the figures that come from the database could be read: 1 or 0',
    registers,
  });
  const ofWhole = (isKept: boolean) => wholeTables.filter((figure) => (figure.isKept ?? false) === isKept);
  const kept = [readerOf(deps, openWork, openWorkMs), readerOf(deps, ofWhole(true), wholeTablesMs)];
  const all = [...kept, readerOf(deps, ofWhole(false), wholeTablesMs)];
  const read = async (readers: typeof all) => {
    const areRead = (await Promise.all(readers.map((each) => each.read()))).every(Boolean);
    up.set(areRead ? 1 : 0);
    return areRead;
  };
  return {
    read: () => read(all),
    readKept: () => read(kept),
    kept: () => Object.assign({}, ...kept.map((each) => each.kept())),
  };
}

/** Reads figures where the last look is old; false if the database does not give them. They are then left out. */
function readerOf(deps: MetricsDeps, figures: readonly Figure[], everyMs: number) {
  const registers = [deps.metrics.registry];
  const gauges = figures.map(({ sql, labels = [], isKept = false, ...named }) => ({
    sql,
    name: named.name,
    isKept,
    label: labels.at(-1),
    gauge: new Gauge({ ...named, labelNames: labels, registers }),
  }));
  let readAt = Number.NEGATIVE_INFINITY;
  let isUp = false;
  let kept: KeptFigures = {};
  let running: Promise<void> | undefined;
  async function read() {
    try {
      const figuresNow: KeptFigures = {};
      for (const { name, sql, gauge, isKept, label } of gauges) {
        const given = sql.includes('$1') ? [deps.clock.now().toISOString()] : [];
        const found = await rows<Record<string, string> & { value: number | null }>(deps.pool, name, sql, given);
        gauge.reset();
        for (const { value, ...labels } of found) gauge.set(labels, value ?? 0);
        if (isKept) figuresNow[name] = keptOf(found, label);
      }
      kept = figuresNow;
      isUp = true;
      readAt = performance.now();
    } catch (error) {
      deps.log.warn({ err: error }, 'the figures of the database could not be read');
      isUp = false;
      for (const { gauge, label } of gauges) {
        gauge.reset();
        // Without labels there is one value, which a reset leaves at 0.
        if (label === undefined) gauge.remove();
      }
    }
  }
  const look = async () => {
    if (performance.now() - readAt < everyMs) return isUp;
    running ??= read().finally(() => {
      running = undefined;
    });
    return (
      (await withTimeout(
        deps.clock,
        patienceMs,
        running.then(() => true),
      )) === true && isUp
    );
  };
  return { read: look, kept: () => kept };
}

/** A figure as it is kept: its value, or one of each value of its last label. */
function keptOf(found: readonly (Record<string, string> & { value: number | null })[], label: string | undefined) {
  if (label === undefined) return found[0]?.value ?? null;
  const sums: Record<string, number> = {};
  for (const { value, [label]: name } of found) sums[name as string] = (sums[name as string] ?? 0) + (value ?? 0);
  return sums;
}
