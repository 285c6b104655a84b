import { unread } from '../events/index.ts';
import type { Clock, Config, Job, Pool } from '../platform/index.ts';
import { announceDay, followLog, reputationReader } from './reputation/reader.ts';
import { isOldModel, rebuildIfOld } from './reputation/rebuild.ts';
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
    {
      name: 'registry.followLog',
      due: `${unread(reputationReader)} or ${isOldModel}`,
      run: async () => {
        if (!isRebuilt) await rebuildIfOld(pool);
        isRebuilt = true;
        await followLog(pool, stopping);
      },
    },
    silenceJob({ pool, clock, config }),
  ];
}
