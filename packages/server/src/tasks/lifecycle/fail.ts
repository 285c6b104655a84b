import { can, type Operations, type TaskView } from '@agora-market/contract';
import { type Call, ensure } from '../../platform/index.ts';
import { partyTask, permit, wrongState } from '../access.ts';
import { cleanUp } from '../assessment/run-gate.ts';
import type { TaskDeps } from '../deps.ts';
import type { TaskRow } from '../sql.ts';
import { type FinishItem, type FinishVerb, finishStep } from '../steps/index.ts';
import { taskView } from '../view.ts';

/** A step found that the caller does not have the task, or that it is elsewhere by now. */
export interface Refused {
  refused: 'not_party' | 'wrong_state';
  status: string;
}

/** Ends a task without a charge: the hold returns, the outcome is counted, the sandbox goes. */
export async function endWithoutCharge(
  deps: TaskDeps,
  task: Pick<TaskRow, 'id' | 'agentId'>,
  how: Pick<FinishItem, 'agentId' | 'at' | 'reason' | 'errorMessage' | 'answerable'> & {
    verb: Exclude<FinishVerb, 'pass' | 'reject'>;
  },
  claim?: Call['claim'],
): Promise<'ok' | Refused> {
  const item = { taskId: task.id, ...how, fee: 0, payout: 0, releaseAt: null, assessment: null };
  const { outcome, status } = await deps.writer.write(finishStep, item, claim);
  if (outcome !== 'ok') return { refused: outcome === 'not_party' ? outcome : 'wrong_state', status };
  await cleanUp(deps, task);
  return 'ok';
}

/** The agent reports that it cannot do the task. */
export async function failTask(deps: TaskDeps, call: Call<Operations['tasks.fail']>): Promise<TaskView> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  permit(can.fail(task, role));
  const at = call.now.toISOString();
  const { reason, cause } = call.body;
  const errorMessage = call.body.errorMessage || reason;
  // The platform believes what its own log bears out.
  const isOurs =
    cause === 'platform' &&
    (await deps.faults.since(
      { agentId: call.caller.agentId, taskId: task.id },
      new Date(task.assignedAt ?? task.createdAt),
    ));
  const claim = call.claim && { subject: task.id, ...call.claim };
  const result = await endWithoutCharge(
    deps,
    task,
    { verb: 'fail', agentId: call.caller.agentId, at, reason, errorMessage, ...(isOurs && { answerable: 'platform' }) },
    claim,
  );
  if (result !== 'ok') {
    ensure(result.refused !== 'not_party', 'NOT_A_PARTY');
    throw wrongState(result.status);
  }
  return taskView(
    { ...task, status: 'failed', failedBy: 'fail', reason, errorMessage, creditsCharged: 0, finishedAt: at },
    role,
  );
}
