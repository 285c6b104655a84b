import { Gauge } from 'prom-client';
import {
  type Clock,
  type Jobs,
  type Logger,
  type Metrics,
  type Pool,
  type Route,
  route,
  rows,
  withTimeout,
} from '../platform/index.ts';
import { type Figure, openWork, wholeTables } from './figures.ts';

interface MetricsDeps {
  metrics: Metrics;
  pool: Pool;
  clock: Clock;
  log: Logger;
  jobs: Pick<Jobs, 'states'>;
  /** Streams and long polls that wait here for a change. */
  waiting(): number;
}

/** What the operator's monitoring reads. */
export function metricsRoutes(deps: MetricsDeps): Route[] {
  addProcessFigures(deps);
  const readDatabase = databaseReader(deps);
  return [
    route('system.metrics', async () => {
      await readDatabase();
      return deps.metrics.text();
    }),
  ];
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
function databaseReader(deps: MetricsDeps): () => Promise<void> {
  const registers = [deps.metrics.registry];
  const up = new Gauge({
    name: 'agora_database_up',
    help: 'Whether the figures that come from the database could be read: 1 or 0',
    registers,
  });
  const readers = [readerOf(deps, openWork, openWorkMs), readerOf(deps, wholeTables, wholeTablesMs)];
  return async () => {
    const areRead = await Promise.all(readers.map((read) => read()));
    up.set(areRead.every(Boolean) ? 1 : 0);
  };
}

/** Reads figures where the last look is old; false if the database does not give them. They are then left out. */
function readerOf(deps: MetricsDeps, figures: readonly Figure[], everyMs: number): () => Promise<boolean> {
  const registers = [deps.metrics.registry];
  const gauges = figures.map(({ sql, labels = [], ...named }) => ({
    sql,
    name: named.name,
    hasLabels: labels.length > 0,
    gauge: new Gauge({ ...named, labelNames: labels, registers }),
  }));
  let readAt = Number.NEGATIVE_INFINITY;
  let isUp = false;
  let running: Promise<void> | undefined;
  async function read() {
    try {
      for (const { name, sql, gauge } of gauges) {
        const given = sql.includes('$1') ? [deps.clock.now().toISOString()] : [];
        const found = await rows<Record<string, string> & { value: number }>(deps.pool, name, sql, given);
        gauge.reset();
        for (const { value, ...labels } of found) gauge.set(labels, value ?? 0);
      }
      isUp = true;
      readAt = performance.now();
    } catch (error) {
      deps.log.warn({ err: error }, 'the figures of the database could not be read');
      isUp = false;
      for (const { gauge, hasLabels } of gauges) {
        gauge.reset();
        // Without labels there is one value, which a reset leaves at 0.
        if (!hasLabels) gauge.remove();
      }
    }
  }
  return async () => {
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
}
