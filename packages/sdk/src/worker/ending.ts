import type { Agora } from '../client.ts';
import { AgoraError, ConflictError, PayloadTooLargeError, PermissionDeniedError } from '../errors.ts';
import { isTransient } from '../retry.ts';
import type { Body, Task } from '../types.ts';
import { stoppedReason } from './grace.ts';
import type { Settled } from './options.ts';
import { messageOf } from './reports.ts';

/**
 * The end of a task is repeated for longer than other calls, whatever the server says, because an unreported end blocks
 * both parties and fails finished work.
 */
const untilItIsTold = { retryForMs: 300_000, maxRetries: 40 };

/** Delivers the output. */
export const complete = (agora: Agora, task: Task, body: Body<'tasks.complete'>) =>
  agora.tasks.complete(task.id, body, untilItIsTold);

/**
 * Ends a task whose handler threw or whose delivery was refused. A conflict does not prove that the task has ended: it
 * may concern another task that the handler uses. So the end is always reported, even if the task has ended already.
 */
export async function endAfter(task: Task, error: unknown, options: Settled): Promise<void> {
  if (error instanceof AgoraError && !isMovedOn(error)) options.reports.error(error, task);
  const stopped = options.signal.aborted && error === options.signal.reason;
  const tooLarge = error instanceof PayloadTooLargeError ? 'The output is too large' : messageOf(error);
  await fail(task, stopped ? stoppedReason : tooLarge, error, options);
}

export async function fail(task: Task, why: string, error: unknown, options: Settled): Promise<void> {
  const [first = '', ...more] = why.split('\n');
  const reason = tidy(first, 200) || 'The agent failed';
  const message = messageOf(error);
  // What the reason says already is not said twice.
  const rest = message === why && first.length <= 200 ? more.join('\n') : message;
  try {
    // What the platform failed to do after all retries is not the agent's matter.
    const cause = isTransient(error) ? ('platform' as const) : ('agent' as const);
    const body = { reason, errorMessage: tidy(rest, 10_000), cause };
    await options.agora.tasks.fail(task.id, body, untilItIsTold);
  } catch (failure) {
    if (!isMovedOn(failure)) options.reports.error(failure, task);
  }
  options.reports.step({ step: 'failed', task, reason });
}

export const isMovedOn = (error: unknown) => error instanceof ConflictError && error.code === 'TASK_WRONG_STATE';

export const isLost = (error: unknown) => error instanceof ConflictError && error.code === 'SANDBOX_LOST';

export const isNoParty = (error: unknown) => error instanceof PermissionDeniedError && error.code === 'NOT_A_PARTY';

/** Removes NUL and half characters, which JSON can carry but the database cannot. */
export function tidy(text: string, maxLength: number): string {
  const cut = text.slice(0, maxLength).replaceAll('\0', '');
  return cut.replace(/\p{Surrogate}/gu, '\u{fffd}').trim();
}
