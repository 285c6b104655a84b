import { type can, type TaskRole, toUuid } from '@agora-market/contract';
import { type AgentCaller, ApiError, ensure, type OwnerCaller } from '../platform/index.ts';
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
