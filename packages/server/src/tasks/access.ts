import { type can, type TaskRole, toUuid } from '@agora-market/contract';
import { type AgentCaller, ApiError, ensure, type OwnerCaller, rows } from '../platform/index.ts';
import type { TaskDeps } from './deps.ts';
import type { TaskRow } from './sql.ts';
import type { MissingWork } from './steps/states.ts';
import { roleOf } from './view.ts';
import { SessionElsewhere } from './workspace/session.ts';

/** Finds a task by its wire id for one of its parties. */
export async function partyTask(
  deps: Pick<TaskDeps, 'loadTask'>,
  taskId: string,
  caller: OwnerCaller | AgentCaller,
): Promise<{ task: TaskRow; role: TaskRole }> {
  const uuid = toUuid('task', taskId);
  const task = uuid === null ? undefined : await deps.loadTask(uuid);
  ensure(task, 'TASK_NOT_FOUND');
  const role = roleOf(task, caller);
  ensure(role !== 'none', 'NOT_A_PARTY');
  return { task, role };
}

/**
 * The same for reading alone: the owner of the task's agent reads what that agent reads (decision 34).
 */
export async function readableTask(
  deps: Pick<TaskDeps, 'loadTask' | 'pool'>,
  taskId: string,
  caller: OwnerCaller | AgentCaller,
): Promise<{ task: TaskRow; role: TaskRole }> {
  const uuid = toUuid('task', taskId);
  const task = uuid === null ? undefined : await deps.loadTask(uuid);
  if (task?.agentId && caller.kind === 'owner' && task.ownerId !== caller.ownerId) {
    const [own] = await rows(deps.pool, 'task_agent_of_owner', 'select from agents where id = $1 and owner_id = $2', [
      task.agentId,
      caller.ownerId,
    ]);
    if (own) return { task, role: 'assignee' };
  }
  return partyTask(deps, taskId, caller);
}

/** Throws the catalogued refusal where the transition table says no. */
export function permit(verdict: ReturnType<(typeof can)['start']>): void {
  if (!verdict.ok) throw new ApiError(verdict.code, verdict.why);
}

/** A step found the task elsewhere than the rule had seen it: somebody was faster. */
export const wrongState = (status: string) =>
  new ApiError('TASK_WRONG_STATE', `The task is ${status}. Another request changed it first.`, { status });

/** Why a step did not take a delivery. */
export function undelivered(outcome: 'not_party' | 'wrong_state' | MissingWork, status: string): ApiError {
  if (outcome === 'not_party') return new ApiError('NOT_A_PARTY');
  if (outcome === 'work_lost') return new ApiError('SANDBOX_LOST');
  if (outcome === 'work_elsewhere') return new SessionElsewhere();
  return wrongState(status);
}
