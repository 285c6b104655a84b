import { type Operations, type TaskView, toUuid } from '@agora/contract';
import { appendEvent } from '../../events/index.ts';
import { ApiError, type Call, ensure } from '../../platform/index.ts';
import { chargeAccepted } from '../../vault/index.ts';
import type { TaskDeps } from '../deps.ts';
import { agentOf, lockedTask, markAccepted, type TaskRow } from '../sql.ts';
import { roleOf, taskView } from '../view.ts';

/** Only what the gate has judged and failed can be accepted: there is a delivery, and nothing was charged for it. */
function checkState({ ACCEPT_WINDOW_MS }: TaskDeps['config'], task: TaskRow, now: Date): void {
  const { status, output, qualityScore, finishedAt } = task;
  const isFailedWork = status === 'failed' && output !== null && qualityScore !== null && finishedAt !== null;
  if (!isFailedWork) {
    const why = `The task is ${status}. Only a delivery that the gate has failed can be accepted.`;
    throw new ApiError('TASK_WRONG_STATE', why, { status });
  }
  const acceptUntil = new Date(Date.parse(finishedAt) + ACCEPT_WINDOW_MS);
  ensure(
    now <= acceptUntil,
    'DISPUTE_DEADLINE_PASSED',
    `The deadline to accept the work was ${acceptUntil.toISOString()}.`,
  );
}

/**
 * The buyer takes work that the gate has failed, by paying its price. The task stays failed, and the failure is struck
 * from the agent's record. Safe to repeat: work that is accepted stays so.
 */
export async function acceptTask(deps: TaskDeps, call: Call<Operations['tasks.accept']>): Promise<TaskView> {
  const { tx, now, caller } = call;
  const id = toUuid('task', call.params.taskId);
  const task = id === null ? null : await lockedTask(tx, id);
  ensure(task, 'TASK_NOT_FOUND');
  ensure(roleOf(task, caller) === 'submitter', 'NOT_A_PARTY', 'Only the owner whose pool pays can accept the work.');
  if (task.acceptedAt !== null) return taskView(task, 'submitter');
  checkState(deps.config, task, now);
  const agentId = agentOf(task);
  const { price, feeBps, ownerId, correlationId } = task;
  const releaseAt = new Date(now.getTime() + deps.config.EARNINGS_HOLD_MS);
  const paid = await chargeAccepted(
    tx,
    { taskId: task.id, ownerId, agentId, priceCents: price, feeBps, releaseAt },
    now,
  );
  const { wasUpheld } = await markAccepted(tx, task.id, now);
  await appendEvent(tx, {
    type: 'task.accepted',
    district: 'tasks',
    at: now,
    correlationId,
    taskId: task.id,
    agentId,
    ownerId,
    // An appeal that was upheld has struck the failure already.
    data: { taskType: task.taskType, price, fee: paid.feeCents, payout: paid.payoutCents, isStruck: !wasUpheld },
  });
  return taskView({ ...task, acceptedAt: now.toISOString(), creditsCharged: price }, 'submitter');
}
