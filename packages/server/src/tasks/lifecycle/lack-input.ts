import { type TaskStatus, taskTransitions } from '@agora-market/contract';
import { ApiError } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import type { TaskRow } from '../sql.ts';
import { endWithoutCharge } from './fail.ts';

const mayLack: readonly TaskStatus[] = taskTransitions.lackInput.from;

/**
 * Work of an agent for which the task's repository has to be cloned. Where it cannot be, the task ends: the buyer reads
 * the same reason as the agent and has the money back, and it counts against nobody. A reason that may pass is given
 * some time first.
 */
export async function withInput<R>(deps: TaskDeps, task: TaskRow, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    await endIfHopeless(deps, task, error);
    throw error;
  }
}

async function endIfHopeless(deps: TaskDeps, task: TaskRow, error: unknown): Promise<void> {
  if (!(error instanceof ApiError) || error.code !== 'REPOSITORY_UNAVAILABLE') return;
  if (!(await deps.inputs.isHopeless(task, error))) return;
  const at = deps.clock.now().toISOString();
  // Whoever was faster has ended it, or has what is needed.
  await endWithoutCharge(deps, task, { verb: 'lackInput', agentId: null, at, errorMessage: error.message });
  deps.inputs.giveUp(task.id);
}

/**
 * Repositories that could not be had for a reason that may pass are tried again, whether or not their agent asks. Nobody
 * waits for that: a server may be silent for long.
 */
export async function retryInputs(deps: TaskDeps): Promise<void> {
  for (const id of deps.inputs.takeRetries()) {
    const task = await deps.loadTask(id);
    if (task && mayLack.includes(task.status)) void retry(deps, task);
    else deps.inputs.giveUp(id);
  }
}

const retry = (deps: TaskDeps, task: TaskRow): Promise<void> =>
  // Another failure is counted, and the last one ends the task.
  withInput(deps, task, () => deps.inputs.prepare(task)).then(
    () => deps.inputs.giveUp(task.id),
    () => undefined,
  );
