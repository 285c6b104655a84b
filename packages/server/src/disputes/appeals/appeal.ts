import { type Operations, type ReplyOf, toId, toUuid } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { type Call, ensure } from '../../platform/index.ts';
import type { DisputeDeps } from '../deps.ts';
import { sideOf } from '../parties.ts';
import { type AppealableRow, type AppealRow, appealable, insertAppeal, isAppealed } from './sql.ts';

type Appeal = Operations['courts.appealAssessment'];

const view = (row: AppealRow): ReplyOf<Appeal> => ({
  assessmentId: toId('assessment', row.assessmentId),
  taskId: toId('task', row.taskId),
  status: row.status,
  reason: row.reason,
  resultId: row.resultId === null ? null : toId('assessment', row.resultId),
  createdAt: row.createdAt,
  decidedAt: row.decidedAt,
});

/** A failure can be appealed while the gate can still examine the same delivery. */
function checkTime({ APPEAL_WINDOW_MS }: DisputeDeps['config'], found: AppealableRow, now: Date): void {
  const appealUntil = new Date(Date.parse(found.judgedAt) + APPEAL_WINDOW_MS);
  ensure(now <= appealUntil, 'DISPUTE_DEADLINE_PASSED', `The deadline for an appeal was ${appealUntil.toISOString()}.`);
  const isThere = found.inputExpiresAt !== null && now.toISOString() < found.inputExpiresAt;
  ensure(isThere, 'INPUT_EXPIRED', 'The input of the task has expired. The gate cannot run again without it.');
}

/** The seller asks for a new run of the gate over a delivery that it failed; the sweep has it done. */
export async function appealAssessment(
  { config }: Pick<DisputeDeps, 'config'>,
  call: Call<Appeal>,
): Promise<ReplyOf<Appeal>> {
  const { tx, now, body } = call;
  const assessmentId = toUuid('assessment', call.params.assessmentId);
  const found = assessmentId === null ? null : await appealable(tx, assessmentId);
  ensure(found && assessmentId, 'ASSESSMENT_NOT_FOUND');
  ensure(sideOf(found, call.caller) === 'seller', 'NOT_A_PARTY', 'Only the assessed agent and its owner can appeal.');
  ensure(
    !(await isAppealed(tx, assessmentId)),
    'DUPLICATE',
    'This assessment was already appealed. It can be appealed once.',
  );
  const isFailure = !found.passed && found.isVerdict && found.status === 'failed';
  ensure(isFailure, 'TASK_WRONG_STATE', 'Only an assessment that failed its task at delivery can be appealed.');
  ensure(!found.isAccepted, 'TASK_WRONG_STATE', 'The buyer has paid for this work. There is nothing left to appeal.');
  checkTime(config, found, now);
  const { taskId, agentId, correlationId } = found;
  const made = await insertAppeal(tx, {
    assessmentId,
    taskId,
    agentId,
    reason: body?.reason ?? null,
    correlationId,
    at: now,
  });
  ensure(made, 'DUPLICATE', 'This assessment was already appealed. It can be appealed once.');
  await appendEvent(tx, {
    type: 'assessment.appealed',
    district: 'courts',
    at: now,
    correlationId,
    taskId,
    agentId,
    ownerId: found.ownerId,
    data: { assessmentId: toId('assessment', assessmentId) },
  });
  return view(made);
}
