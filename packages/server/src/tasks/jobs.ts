import { releaseDueEarnings } from '../vault/index.ts';
import type { TaskDeps } from './deps.ts';
import { endWithoutCharge } from './fail.ts';
import { cleanUp, gateLeaseMs } from './judge.ts';
import { endedAmong, eraseInputs, leaseGateRuns, overdueTasks, reviveGateRuns } from './sql.ts';

const batch = 200;

/** Ends tasks whose time has run out; the buyer is refunded. */
export async function expireOverdue(deps: TaskDeps): Promise<number> {
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

/** Runs gates that a crash or a fault of ours left without an answer. */
export async function resumeGates(deps: TaskDeps): Promise<number> {
  const now = deps.clock.now();
  // One by one: each may open a sandbox, and there may be many after a crash.
  const due = await leaseGateRuns(deps.pool, now, new Date(now.getTime() + gateLeaseMs), 20);
  await Promise.all(due.map(async (task) => deps.judge(task, await deps.deliveries.read(task.id))));
  return due.length;
}

/** Clears away sandboxes and kept workspaces of tasks that have ended. */
async function clearEnded(deps: TaskDeps): Promise<void> {
  await deps.sandboxes.sweep();
  const ids = [...new Set([...deps.sandboxes.taskIds(), ...(await deps.deliveries.list())])];
  if (ids.length === 0) return;
  for (const id of await endedAmong(deps.pool, ids)) await cleanUp(deps, id);
}

/** What time alone makes happen. Each is safe to run at any moment and in several processes at once. */
export async function sweep(deps: TaskDeps): Promise<void> {
  await expireOverdue(deps);
  await resumeGates(deps);
  await releaseDueEarnings(deps.pool, deps.clock.now());
  while ((await eraseInputs(deps.pool, deps.clock.now(), batch)).length === batch);
  await clearEnded(deps);
}

/** At start: gates that were running when a predecessor died are run again at once, its sandboxes are cleared. */
export async function recover(deps: TaskDeps): Promise<void> {
  await deps.sandboxes.reclaim();
  await reviveGateRuns(deps.pool, deps.clock.now());
}
