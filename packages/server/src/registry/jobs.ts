import type { Clock, Job, Pool } from '../platform/index.ts';
import { announceDay, followLog } from './reputation/reader.ts';

/** What follows from the log a moment later, and what time makes happen to reputations. */
export const registryJobs = ({ pool, clock, stopping }: { pool: Pool; clock: Clock; stopping: AbortSignal }): Job[] => [
  { name: 'registry.announceDay', everyMs: 10_000, run: () => announceDay(pool, clock) },
  // Often enough that a reputation is there within a second, and seldom enough that a busy server reads many at once.
  { name: 'registry.followLog', everyMs: 700, run: () => followLog(pool, stopping) },
];
