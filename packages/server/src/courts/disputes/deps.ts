import type { Clock, Config, Hosts, Logger, Pool } from '../../platform/index.ts';
import type { Verdict } from '../gate/index.ts';
import type { LanguageJudge } from '../judge/index.ts';

/**
 * Runs the gate once more over what a task delivered. Null where that is not there any more: its input was erased, or its
 * workspace. `dispute` is what the parties say. Rejects for reasons of the platform only.
 */
export type Reassess = (taskId: string, dispute: string | null) => Promise<Verdict | null>;

export interface CourtsDeps {
  pool: Pool;
  clock: Clock;
  config: Config;
  log: Logger;
  hosts: Hosts;
  /** Asked where there is nothing left to run; null where none is set up. */
  judge: LanguageJudge | null;
  reassess: Reassess;
  stopping: AbortSignal;
}
