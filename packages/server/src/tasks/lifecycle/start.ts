import { can, type Operations, type TaskView, taskTransitions } from '@agora-market/contract';
import { ApiError, type Call, ensure } from '../../platform/index.ts';
import { wrongState } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import type { TaskRow } from '../sql.ts';
import { startStep } from '../steps/index.ts';
import { remember, taskFor } from '../task-cache.ts';
import { taskView } from '../view.ts';

/**
 * The assigned agent commits; from here on it may read the buyer's code. If the id names no provisioned sandbox, it
 * becomes the name of the sandbox that starts at first use.
 */
export async function startTask(deps: TaskDeps, call: Call<Operations['tasks.start']>): Promise<TaskView> {
  const { task, role, inputBytes } = await taskFor(deps, call.params.taskId, call.caller, can.start);
  const at = call.now.toISOString();
  const { sandboxId } = call.body;
  const { outcome, status, deadline } = await deps.writer.write(
    startStep,
    { taskId: task.id, agentId: call.caller.agentId, sandboxId, at },
    call.claim && { subject: task.id, ...call.claim },
  );
  deps.cache.tasks.delete(task.id);
  ensure(outcome !== 'input_expired', 'INPUT_EXPIRED');
  ensure(outcome !== 'not_party', 'NOT_A_PARTY');
  if (outcome === 'sandbox_mismatch') {
    throw new ApiError('SANDBOX_MISMATCH', 'The sandbox of this task has a different id.');
  }
  if (outcome !== 'ok') throw wrongState(status);
  const started: TaskRow = { ...task, status: taskTransitions.start.to, sandboxId, startedAt: at, deadline };
  remember(deps, started, inputBytes);
  return taskView(started, role);
}
