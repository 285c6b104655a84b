import type { LanguageJudge } from '../gate/index.ts';
import type { Clock, Config, Hosts, Logger, Pool } from '../platform/index.ts';
import type { GateRunner } from '../tasks/index.ts';

export interface DisputeDeps {
  pool: Pool;
  clock: Clock;
  config: Config;
  log: Logger;
  hosts: Hosts;
  /** Asked where there is nothing left to run; null if none is set up. */
  judge: LanguageJudge | null;
  gate: Pick<GateRunner, 'again' | 'prove'>;
  stopping: AbortSignal;
}
