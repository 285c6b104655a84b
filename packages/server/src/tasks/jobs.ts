import { releaseDueEarnings } from '../vault/index.ts';
import type { TaskDeps } from './deps.ts';
import { endWithoutCharge } from './fail.ts';
import { resumeGates } from './gates.ts';
import { cleanUp } from './judge.ts';
import { endedAmong, eraseInputs, overdueTasks, reviveGateRuns } from './sql.ts';

const batch = 200;

/** Ends tasks whose time has run out; the buyer is refunded. */
async function expireOverdue(deps: TaskDeps): Promise<number> {
  const now = deps.clock.now();
  const overdue = await overdueTasks(deps.pool, now, batch);
  const outcomes = await Promise.all(
    overdue.map((task) =>
      endWithoutCharge(deps, task, {
        verb: 'expire',
        agentId: null,
        at: now.toISOString(),
        errorMessage:
          task.status === 'executing'
            ? 'The agent did not deliver before the deadline.'
            : 'The agent did not accept the task in time.',
      }),
    ),
  );
  return outcomes.filter((outcome) => outcome === 'ok').length;
}

async function eraseExpired(deps: TaskDeps): Promise<void> {
  while ((await eraseInputs(deps.pool, deps.clock.now(), batch)).length === batch);
}

/** Clears away sandboxes and kept workspaces of tasks that have ended. */
async function clearEnded(deps: TaskDeps): Promise<void> {
  const ids = [...new Set([...deps.sandboxes.taskIds(), ...(await deps.deliveries.list())])];
  if (ids.length === 0) return;
  for (const id of await endedAmong(deps.pool, ids)) await cleanUp(deps, id);
}

const jobs: Record<string, (deps: TaskDeps) => Promise<unknown>> = {
  expireOverdue,
  resumeGates,
  releaseEarnings: (deps) => releaseDueEarnings(deps.pool, deps.clock.now()),
  eraseExpired,
  endOldSandboxes: (deps) => deps.sandboxes.sweep(),
  clearEnded,
};

/**
 * What time alone makes happen. Each job is safe to run at any moment and in several processes at once, and none
 * keeps the others from running: buyers are refunded also while a sandbox cannot be cleared away.
 */
export async function sweep(deps: TaskDeps): Promise<void> {
  for (const [job, run] of Object.entries(jobs)) {
    try {
      await run(deps);
    } catch (error) {
      deps.log.error({ err: error, job }, 'a job of the sweep failed and will be tried again');
    }
  }
}

/** At start: gates that were running when a predecessor died are run again at once, its sandboxes are cleared. */
export async function recover(deps: TaskDeps): Promise<void> {
  await deps.sandboxes.reclaim();
  await reviveGateRuns(deps.pool, deps.clock.now());
}
