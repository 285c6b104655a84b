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
export const registryJobs = ({ pool, clock, config, stopping }: Deps): Job[] => [
  { name: 'registry.announceDay', everyMs: 10_000, run: () => announceDay(pool, clock) },
  // Often enough that a reputation is there within a second, and seldom enough that a busy server reads many at once.
  {
    name: 'registry.followLog',
    everyMs: 700,
    run: async () => {
      await rebuildIfOld(pool);
      await followLog(pool, stopping);
    },
  },
  silenceJob({ pool, clock, config }),
];
