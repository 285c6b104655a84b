import type { GateAdditions } from '../gate/index.ts';
import type { Clock, Config, Logger, Pool } from '../platform/index.ts';

export interface ExchangeDeps {
  pool: Pool;
  clock: Clock;
  config: Config;
  log: Logger;
  stopping: AbortSignal;
  /** What the operator's settings add to the gate. */
  additions: GateAdditions;
}
