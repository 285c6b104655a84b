import { sweepAppeals } from './appeals/decide.ts';
import type { CourtsDeps } from './disputes/deps.ts';
import { sweepDisputes } from './disputes/sweep.ts';
import { createRuns } from './runs.ts';

/** Gate runs for disputes and appeals at once; each may hold a workspace in memory. */
const runsAtOnce = 2;
/** What a sweep waits for runs that it began, so that what takes but a moment is done when it ends. */
const patienceMs = 5_000;

/** What time makes happen in the courts. */
export function createCourt(deps: CourtsDeps) {
  const runs = createRuns(runsAtOnce, patienceMs);
  return {
    async sweep(): Promise<void> {
      for (const part of [sweepDisputes, sweepAppeals]) {
        await part(deps, runs).catch((error) => deps.log.error({ err: error }, 'a part of the courts failed'));
      }
    },
    idle: () => runs.idle(),
  };
}
