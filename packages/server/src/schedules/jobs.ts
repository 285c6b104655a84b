import { scheduleLimits } from '@agora-market/contract';
import { forgetGivenUp, handler, type JobHandler } from '../jobs/index.ts';
import { dayMs, hasCome, hourMs, type Job, untilEmpty } from '../platform/index.ts';
import type { TaskDeps } from '../tasks/index.ts';
import { beginDue, giveUp, startRun, startRunKind } from './runs.ts';
import { forgetOldRuns, forgetSurplusRuns, stuckRuns } from './sql.ts';

/** All tries of a run are over then. */
const stuckMs = 2 * hourMs;

export const scheduleQueue = (deps: TaskDeps): JobHandler[] => [
  handler(startRunKind, ({ runId }) => startRun(deps, runId)),
];

export function scheduleJobs(deps: TaskDeps): Job[] {
  const { pool } = deps;
  const ago = (ms: number) => new Date(deps.clock.now().getTime() - ms);
  return [
    {
      name: 'schedules.begin',
      due: hasCome('next_run_at', 'schedules'),
      run: () => untilEmpty(50, (limit) => beginDue(deps, limit)),
    },
    {
      name: 'schedules.endStuck',
      due: hasCome('started_at', "schedule_runs where status = 'starting'", stuckMs),
      run: async () => {
        for (const { id } of await stuckRuns(pool, startRunKind.name, ago(stuckMs), 100)) await giveUp(deps, id);
      },
    },
    {
      name: 'schedules.forgetRuns',
      everyMs: hourMs,
      run: async () => {
        const { keptDays, keptWithoutTask } = scheduleLimits;
        await untilEmpty(500, (limit) => forgetOldRuns(pool, ago(keptDays * dayMs), limit));
        await untilEmpty(500, (limit) => forgetSurplusRuns(pool, keptWithoutTask, limit));
        await untilEmpty(500, (limit) => forgetGivenUp(pool, startRunKind, ago(keptDays * dayMs), limit));
      },
    },
  ];
}
