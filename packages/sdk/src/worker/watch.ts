import { ConflictError } from '../errors.ts';
import type { Task } from '../types.ts';
import { isNoParty } from './ending.ts';
import type { Settled } from './options.ts';

/** Timers cannot be longer (2^31 - 1 ms). */
const longestTimerMs = 2_147_483_647;

/**
 * Fires `over` at the task's deadline, and when the server says that it is not executing any more: work that nobody will
 * pay is not worth going on with. Returns a function that ends the watch.
 */
export function watchTask(task: Task, options: Settled, over: AbortController): () => void {
  const timers = [setInterval(() => void look(task.id, options, over), options.watchEveryMs)];
  if (task.deadline && task.startedAt) {
    // Both times are the server's, so that a wrong clock here does not matter.
    const left = Date.parse(task.deadline) - Date.parse(task.startedAt);
    const end = () => over.abort(movedOn("The task's deadline has passed"));
    timers.push(setTimeout(end, Math.min(left, longestTimerMs)));
  }
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}

/** A server that does not answer says nothing about the task. */
async function look(taskId: string, { agora }: Settled, over: AbortController): Promise<void> {
  try {
    const { status } = await agora.tasks.get(taskId, { signal: over.signal, maxRetries: 0 });
    if (status !== 'executing') over.abort(movedOn(`The task is ${status}`));
  } catch (error) {
    if (isNoParty(error)) over.abort(error);
  }
}

/** As the server says it to whoever works on a task that has ended. */
export const movedOn = (message: string) => new ConflictError({ status: 409, code: 'TASK_WRONG_STATE', message });
