import { type can, type TaskRole, toUuid } from '@agora-market/contract';
import { type AgentCaller, ApiError, ensure, type OwnerCaller, rows } from '../platform/index.ts';
import type { TaskDeps } from './deps.ts';
import type { TaskRow } from './sql.ts';
import type { MissingWork } from './steps/states.ts';
import { roleOf } from './view.ts';
import { SessionElsewhere } from './workspace/session.ts';

interface Found {
  task: TaskRow;
  role: TaskRole;
}

async function findTask({ loadTask }: Pick<TaskDeps, 'loadTask'>, taskId: string, caller: OwnerCaller | AgentCaller) {
  const uuid = toUuid('task', taskId);
  const task = uuid === null ? undefined : await loadTask(uuid);
  ensure(task, 'TASK_NOT_FOUND');
  return { task, role: roleOf(task, caller) };
}

/** Finds a task by its wire id for one of its parties. */
export async function partyTask(
  deps: Pick<TaskDeps, 'loadTask'>,
  taskId: string,
  caller: OwnerCaller | AgentCaller,
): Promise<Found> {
  const { task, role } = await findTask(deps, taskId, caller);
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
): Promise<Found> {
  const { task, role } = await findTask(deps, taskId, caller);
  if (role !== 'none') return { task, role };
  ensure(await ownsAgentOf(deps, task, caller), 'NOT_A_PARTY');
  return { task, role: 'assignee' };
}

async function ownsAgentOf({ pool }: Pick<TaskDeps, 'pool'>, { agentId }: TaskRow, caller: OwnerCaller | AgentCaller) {
  if (caller.kind !== 'owner' || agentId === null) return false;
  const own = await rows(pool, 'task_agent_of_owner', 'select from agents where id = $1 and owner_id = $2', [
    agentId,
    caller.ownerId,
  ]);
  return own.length > 0;
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
