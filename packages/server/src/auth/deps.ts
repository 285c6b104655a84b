import type { Clock, Config, Logger, Pool } from '../platform/index.ts';

export interface AuthDeps {
  pool: Pool;
  clock: Clock;
  config: Pick<Config, 'SESSION_IDLE_MS' | 'PUBLIC_URL'>;
  log: Pick<Logger, 'warn'>;
}
