import { gate, type Operations, type TaskView, toUuid } from '@agora-market/contract';
import { appendEvent } from '../events/index.ts';
import { ApiError, type Call, ensure } from '../platform/index.ts';
import { agentOf, lockedTask, roleOf, type TaskRow, taskView } from '../tasks/index.ts';
import { chargeAccepted } from '../vault/index.ts';
import type { DisputeDeps } from './deps.ts';
import { isSellerGone, markAccepted } from './sql.ts';

/** Only what the gate has judged and failed can be accepted: there is a delivery, and nothing was charged for it. */
function checkState({ ACCEPT_WINDOW_MS }: DisputeDeps['config'], task: TaskRow, now: Date): void {
  const { status, output, qualityScore, finishedAt } = task;
  // One of several attempts may have passed and not been chosen: that is no failure.
  const isFailed = status === 'failed' && qualityScore !== null && qualityScore < gate.passScore;
  if (!isFailed || output === null || finishedAt === null) {
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
export async function acceptTask(
  { config }: Pick<DisputeDeps, 'config'>,
  call: Call<Operations['tasks.accept']>,
): Promise<TaskView> {
  const { tx, now, caller } = call;
  const id = toUuid('task', call.params.taskId);
  const task = id === null ? null : await lockedTask(tx, id);
  ensure(task, 'TASK_NOT_FOUND');
  ensure(roleOf(task, caller) === 'submitter', 'NOT_A_PARTY', 'Only the owner whose pool pays can accept the work.');
  if (task.acceptedAt !== null) return taskView(task, 'submitter');
  checkState(config, task, now);
  const agentId = agentOf(task);
  ensure(
    !(await isSellerGone(tx, agentId)),
    'TASK_WRONG_STATE',
    'The owner of the agent has deleted its account, so the work cannot be paid for.',
  );
  const { price, feeBps, ownerId, correlationId } = task;
  const releaseAt = new Date(now.getTime() + config.EARNINGS_HOLD_MS);
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
