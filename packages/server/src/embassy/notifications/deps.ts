import type { Mail } from '../../mail/index.ts';
import type { Clock, Config, Hub, Pool } from '../../platform/index.ts';

export interface NotificationDeps {
  pool: Pool;
  clock: Clock;
  config: Config;
  hub: Hub;
  mail: Mail;
  stopping: AbortSignal;
}
