import type { Clock, Config, Logger, Pool } from '../platform/index.ts';

export interface AuthDeps {
  pool: Pool;
  clock: Clock;
  config: Pick<Config, 'SESSION_IDLE_MS' | 'RATE_LIMIT_AUTH'>;
  log: Pick<Logger, 'warn'>;
}
