import { ConflictError } from '../errors.ts';
import { isTransient } from '../retry.ts';
import type { Task } from '../types.ts';
import { isNoParty } from './ending.ts';
import type { Settled } from './options.ts';

/** Timers cannot be longer (2^31 - 1 ms). */
const longestTimerMs = 2_147_483_647;

/**
 * Fires `over` at the task's deadline, and when the server says that it is not executing any more: work that nobody will
 * pay is not worth going on with. The server moves deadlines by the time in which it was away, so it is asked again at
 * the deadline. Returns a function that ends the watch.
 */
export function watchTask(task: Task, { agora, watchEveryMs }: Settled, over: AbortController): () => void {
  const begunMs = performance.now();
  let { deadline } = task;
  let atDeadline: ReturnType<typeof setTimeout> | undefined;

  /** Looks what became of the task. A server that does not answer says nothing about it. */
  async function look(): Promise<'answered' | 'away'> {
    try {
      const found = await agora.tasks.get(task.id, { signal: over.signal, maxRetries: 0 });
      if (found.status !== 'executing') over.abort(movedOn(`The task is ${found.status}`));
      deadline = found.deadline ?? deadline;
    } catch (error) {
      if (isNoParty(error)) over.abort(error);
      if (isTransient(error)) return 'away';
    }
    return 'answered';
  }

  /** Both times are the server's, so that a wrong clock here does not matter. */
  function leftMs(): number {
    if (!deadline || !task.startedAt) return longestTimerMs;
    return begunMs + Date.parse(deadline) - Date.parse(task.startedAt) - performance.now();
  }

  function wait(leastMs = 0): void {
    atDeadline = setTimeout(end, Math.min(Math.max(leastMs, leftMs()), longestTimerMs));
  }

  async function end(): Promise<void> {
    const answer = await look();
    if (over.signal.aborted) return;
    if (answer === 'away') wait(watchEveryMs);
    else if (leftMs() > 0) wait();
    else over.abort(movedOn("The task's deadline has passed"));
  }

  const looking = setInterval(look, watchEveryMs);
  wait();
  return () => {
    clearInterval(looking);
    clearTimeout(atDeadline);
  };
}

/** As the server says it to whoever works on a task that has ended. */
export const movedOn = (message: string) => new ConflictError({ status: 409, code: 'TASK_WRONG_STATE', message });
