import {
  isWorking,
  type Operations,
  progressNotes,
  type ReplyOf,
  type TaskStatus,
  toId,
  toUuid,
} from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { ApiError, afterCommit, type Call, ensure, minuteMs } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { countNote, lockTask, type NoteCount } from './progress-sql.ts';

/** Stores a progress note of the agent. The task's row is locked, so that no note follows the event of its end. */
export async function postProgress(
  { hub }: Pick<TaskDeps, 'hub'>,
  call: Call<Operations['tasks.progress']>,
): Promise<ReplyOf<Operations['tasks.progress']>> {
  const { tx, now, caller, body } = call;
  const taskId = toUuid('task', call.params.taskId);
  // By the transaction's own connection: were each to wait for a second one, a pool of them could wait for ever.
  const task = taskId === null ? null : await lockTask(tx, taskId);
  ensure(task, 'TASK_NOT_FOUND');
  ensure(task.agentId === caller.agentId, 'NOT_A_PARTY', 'Only the assigned agent can report progress.');
  if (!isWorking(task)) throw notExecuting(task.status);
  const count = await countNote(tx, task.id, now, minuteMs);
  refuseTooMany(count, call);
  const note = { percent: body.percent ?? null, message: body.message ?? null };
  const { id } = await appendEvent(tx, {
    type: 'task.progressed',
    district: 'tasks',
    at: now,
    correlationId: task.correlationId,
    taskId: task.id,
    agentId: caller.agentId,
    ownerId: task.ownerId,
    data: note,
  });
  afterCommit(tx, () => hub.notify([`task:${task.id}`]));
  return {
    eventId: toId('event', id),
    ...note,
    createdAt: now.toISOString(),
    notesLeft: progressNotes.perTask - count.notes,
  };
}

const notExecuting = (status: TaskStatus) =>
  new ApiError('TASK_WRONG_STATE', `The task is ${status}. Progress can be reported only while it is executing.`, {
    status,
  });

/** A refused note is not counted: the transaction is rolled back. */
function refuseTooMany(count: NoteCount, { now, raw }: Pick<Call, 'now' | 'raw'>): void {
  const { perTask, perMinute } = progressNotes;
  if (count.notes > perTask) {
    throw new ApiError('PROGRESS_LIMIT_REACHED', `A task can have ${perTask} progress notes.`, { limit: perTask });
  }
  if (count.notesInMinute <= perMinute) return;
  const leftMs = Date.parse(count.minuteFrom) + minuteMs - now.getTime();
  const retryAfter = Math.max(1, Math.ceil(leftMs / 1000));
  raw.header('retry-after', retryAfter);
  throw new ApiError('RATE_LIMITED', `A task can have ${perMinute} progress notes a minute.`, {
    limit: perMinute,
    retryAfter,
  });
}
