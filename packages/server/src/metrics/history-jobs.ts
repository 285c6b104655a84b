import { performance } from 'node:perf_hooks';
import { changedRows, dayMs, type Job, minuteMs, type Queryable, rows, untilEmpty } from '../platform/index.ts';
import type { MetricsDeps } from './deps.ts';
import { type DatabaseFigures, databaseHost, type ServerFigures } from './samples.ts';

/** Figures are sampled once a minute: each server its own, and one of them those of the database. */

const quarterMs = 15 * minuteMs;
/** All samples are kept for so long, and the first of each quarter of an hour for so long. */
const allKeptMs = dayMs;
const keptMs = 30 * dayMs;

const put = (db: Queryable, host: string, at: Date, figures: unknown) =>
  rows(
    db,
    'metrics_put_sample',
    `insert into metric_samples (host, at, is_kept, figures)
     select $1::uuid, $2::timestamptz, not exists (select from metric_samples where host = $1 and is_kept and at >= $3), $4::jsonb
     on conflict do nothing`,
    [
      host,
      new Date(Math.floor(at.getTime() / minuteMs) * minuteMs).toISOString(),
      new Date(Math.floor(at.getTime() / quarterMs) * quarterMs).toISOString(),
      JSON.stringify(figures),
    ],
  );

const purge = (db: Queryable, now: Date, limit: number) =>
  changedRows(
    db,
    'metrics_purge_samples',
    `delete from metric_samples where (host, at) in (
       (select host, at from metric_samples where not is_kept and at < $1 limit $3)
       union all (select host, at from metric_samples where is_kept and at < $2 limit $3))`,
    [new Date(now.getTime() - allKeptMs).toISOString(), new Date(now.getTime() - keptMs).toISOString(), limit],
  );

async function serverFigures({ metrics, pool, jobs }: MetricsDeps): Promise<ServerFigures> {
  const { active, idle } = performance.eventLoopUtilization();
  return {
    ...(await metrics.totals()),
    loopActiveMs: active,
    loopIdleMs: idle,
    memoryBytes: process.memoryUsage.rss(),
    connectionsBusy: pool.totalCount - pool.idleCount,
    connectionsWaiting: pool.waitingCount,
    timedJobLagSeconds: Math.max(0, ...jobs.states().map(({ lagMs }) => lagMs)) / 1_000,
  };
}

/** The newest sample of the database is of an earlier minute. */
const isDue = `not exists (select from metric_samples where host = '${databaseHost}' and at > $1 - interval '${minuteMs} ms')`;

export function historyJobs(deps: MetricsDeps, database: DatabaseFigures): Job[] {
  const { pool, clock } = deps;
  return [
    {
      name: 'metrics.sampleServer',
      isOwn: true,
      everyMs: minuteMs,
      run: async () => put(pool, deps.host(), clock.now(), await serverFigures(deps)),
    },
    {
      name: 'metrics.sampleDatabase',
      due: isDue,
      async run() {
        const now = clock.now();
        if (await database.readKept()) await put(pool, databaseHost, now, database.kept());
        await untilEmpty(1_000, (limit) => purge(pool, now, limit));
      },
    },
  ];
}
