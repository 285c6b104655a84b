import type { Mail } from '../../mail/index.ts';
import type { Clock, Config, Pool } from '../../platform/index.ts';

export interface NotificationDeps {
  pool: Pool;
  clock: Clock;
  config: Config;
  mail: Mail;
  stopping: AbortSignal;
}
