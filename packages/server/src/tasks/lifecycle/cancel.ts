import { can, cancelledText, type Operations, type TaskView } from '@agora-market/contract';
import type { Call } from '../../platform/index.ts';
import { partyTask, permit, wrongState } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import { taskView } from '../view.ts';
import { endWithoutCharge } from './fail.ts';

/** The submitter calls the task off while nobody works on it: the hold returns, and nobody is blamed. */
export async function cancelTask(deps: TaskDeps, call: Call<Operations['tasks.cancel']>): Promise<TaskView> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  permit(can.cancel(task, role));
  deps.cache.tasks.delete(task.id);
  const at = call.now.toISOString();
  const errorMessage = cancelledText;
  const how = { verb: 'cancel' as const, agentId: null, at, errorMessage };
  const result = await endWithoutCharge(deps, task, how, call.claim && { subject: task.id, ...call.claim });
  if (result !== 'ok') throw wrongState(result.status);
  return taskView(
    { ...task, status: 'failed', failedBy: 'cancel', errorMessage, creditsCharged: 0, finishedAt: at },
    role,
  );
}
