import { can, type Operations, type ReplyOf } from '@agora-market/contract';
import { ApiError, type Call } from '../../platform/index.ts';
import { partyTask, permit, wrongState } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import type { TaskRow } from '../sql.ts';
import { feedbackStep } from '../steps/index.ts';
import { taskView } from '../view.ts';

type Feedback = Operations['tasks.feedback'];

/** The submitter's thumb. Down inside the refund window (both ends included) refunds at once. */
export async function giveFeedback(deps: TaskDeps, call: Call<Feedback>): Promise<ReplyOf<Feedback>> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  permit(can.feedback(task, role));
  const { direction, comment = null } = call.body;
  const at = call.now.toISOString();
  const { outcome, status, refunded } = await deps.writer.write(
    feedbackStep,
    { taskId: task.id, direction, comment, at, refundWindowMs: deps.config.REFUND_WINDOW_MS },
    call.claim && { subject: task.id, ...call.claim },
  );
  if (outcome === 'duplicate') {
    throw new ApiError('DUPLICATE', 'Feedback was already given, and the time to change it has passed.');
  }
  if (outcome !== 'ok') throw wrongState(status);
  const changed = refunded ? { status: 'refunded' as const, creditsCharged: 0 } : {};
  const given = { feedbackDirection: direction, feedbackComment: comment, feedbackAt: at };
  return { refunded, direction, task: taskView({ ...task, ...given, ...changed }, role) };
}

/** The reply of feedback that was taken. */
export const feedbackGiven = (task: TaskRow, { body: { direction } }: Call<Feedback>): ReplyOf<Feedback> => ({
  refunded: task.status === 'refunded',
  direction,
  task: taskView(task, 'submitter'),
});
