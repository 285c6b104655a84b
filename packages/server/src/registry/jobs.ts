import type { Clock, Config, Job, Pool } from '../platform/index.ts';
import { announceDay, followLog } from './reputation/reader.ts';
import { rebuildIfOld } from './reputation/rebuild.ts';
import { silenceJob } from './silence.ts';

interface Deps {
  pool: Pool;
  clock: Clock;
  config: Config;
  stopping: AbortSignal;
}

/** What follows from the log a moment later, and what time makes happen to reputations. */
export function registryJobs({ pool, clock, config, stopping }: Deps): Job[] {
  /** Another model comes with another process, so that one asks until it is done once. */
  let isRebuilt = false;
  return [
    { name: 'registry.announceDay', everyMs: 10_000, run: () => announceDay(pool, clock) },
    // Often enough that a reputation is there within a second, and seldom enough that a busy server reads many at once.
    {
      name: 'registry.followLog',
      everyMs: 700,
      run: async () => {
        if (!isRebuilt) await rebuildIfOld(pool);
        isRebuilt = true;
        await followLog(pool, stopping);
      },
    },
    silenceJob({ pool, clock, config }),
  ];
}
