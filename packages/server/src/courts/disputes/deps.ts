import type { Clock, Config, Hosts, Logger, Pool } from '../../platform/index.ts';
import type { Verdict } from '../gate/index.ts';
import type { LanguageJudge } from '../judge/index.ts';

/** What a new run found. */
export interface Reassessed {
  verdict: Verdict;
  /** Books what the run cost, once its assessment is stored. */
  book(assessmentId: string): void;
}

/**
 * Runs the gate once more over what a task delivered. Null where that is not there any more: its input was erased, or its
 * workspace. `dispute` is what the parties say; null where it was not the buyer who asked, against whom the run is not
 * counted then. Rejects for reasons of the platform only.
 */
export type Reassess = (taskId: string, dispute: string | null) => Promise<Reassessed | null>;

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
