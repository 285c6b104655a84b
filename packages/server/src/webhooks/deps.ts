import type { Clock, Config, Hub, Logger, Pool } from '../platform/index.ts';
import type { TaskDeps } from '../tasks/index.ts';
import type { Secrets } from './secrets.ts';

/** Dependencies of this district's rules and jobs. */
export interface WebhookDeps {
  pool: Pool;
  clock: Clock;
  config: Pick<Config, 'OUTBOUND_ALLOW_LOOPBACK'>;
  hub: Hub;
  log: Logger;
  /** From 0 up to 1, so that endpoints that failed together are not retried together. */
  random: () => number;
  loadTask: TaskDeps['loadTask'];
  secrets: Secrets;
}
