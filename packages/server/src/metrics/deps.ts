import type { Clock, Jobs, Logger, Metrics, Pool } from '../platform/index.ts';

export interface MetricsDeps {
  metrics: Metrics;
  pool: Pool;
  clock: Clock;
  log: Logger;
  jobs: Pick<Jobs, 'states'>;
  /** This server among those of the database. */
  host(): string;
  /** Streams and long polls that wait here for a change. */
  waiting(): number;
}
