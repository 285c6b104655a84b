import { onAbort } from './abort.ts';
import {
  AgoraError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  TimeoutError,
  WaitEndedError,
} from './errors.ts';
import type { Http } from './http.ts';
import { path } from './path.ts';
import { askedPauseMs, fewRetries, isTransient, sleep } from './retry.ts';
import { streamTask, type TaskStreamEvent } from './task-stream.ts';
import type { RequestOptions, Task } from './types.ts';

/** Options of waiting for a task. `signal` ends the waiting, not the task; `idempotencyKey` is that of a submission. */
export interface WaitOptions extends RequestOptions {
  /** Gets each event of the task's stream. What it throws ends the waiting. */
  onEvent?: (event: TaskStreamEvent) => void;
  /** Milliseconds to wait at most. Default: as long as the task lives. */
  waitMs?: number;
  /** Also cancels the task if the waiting ends early. That works until an agent starts it. Default false. */
  cancel?: boolean;
}

const ended = ['completed', 'failed', 'refunded'];

/** Pause between two looks at a task whose stream cannot be had. */
const pollMs = 2_000;
/** Looks that may fail in a row, each with the retries of any call. */
const maxFailedPolls = 10;
/** Longer timers fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

/**
 * Resolves with the tasks when all have ended. WaitEndedError if the waiting ended before them; NotFoundError and
 * PermissionDeniedError if the caller has no such task.
 */
export async function waitForTasks(http: Http, ids: string[], options: WaitOptions): Promise<Task[]> {
  const { onEvent, waitMs, cancel, signal, idempotencyKey: _, ...request } = options;
  const over = new AbortController();
  const stop = () => over.abort(signal?.reason);
  if (signal?.aborted) stop();
  const forget = onAbort(signal, stop);
  const late = () => over.abort(new TimeoutError({ status: null, code: 'TIMEOUT', message: `${waitMs} ms are over` }));
  const timer = waitMs === undefined ? undefined : setTimeout(late, Math.min(waitMs, longestTimerMs));
  const found: Task[] = [];
  try {
    for (const id of ids) {
      await follow(http, id, { ...request, signal: over.signal }, onEvent);
      found.push(await poll(http, id, { ...request, signal: over.signal }));
    }
    return found;
  } catch (error) {
    const stopped = over.signal.aborted;
    if (!stopped && !(error instanceof AgoraError)) throw error;
    if (error instanceof NotFoundError || error instanceof PermissionDeniedError) throw error;
    const left = ids.slice(found.length);
    const cancelled = cancel
      ? (await Promise.all(left.map((id) => isCancelled(http, id, request)))).every(Boolean)
      : false;
    throw new WaitEndedError(left[0] as string, cancelled, error);
  } finally {
    clearTimeout(timer);
    forget();
  }
}

/** Until the stream ends, or cannot be had: then polling still can. */
async function follow(http: Http, id: string, request: RequestOptions, onEvent: WaitOptions['onEvent']): Promise<void> {
  const events = streamTask(http, id, request);
  for (;;) {
    const next = await events.next().catch((error) => {
      const noStream = mayPass(error) || (error instanceof AgoraError && error.code === 'MALFORMED_REPLY');
      if (request.signal?.aborted || !noStream) throw error;
      return null;
    });
    if (next === null || next.done) return;
    try {
      onEvent?.(next.value);
    } catch (error) {
      await events.return(undefined);
      throw error;
    }
  }
}

async function poll(http: Http, id: string, options: RequestOptions): Promise<Task> {
  const request = { maxRetries: fewRetries, ...options };
  for (let failed = 0; ; ) {
    let pause = pollMs;
    try {
      const task = await http.request<Task>({ method: 'GET', path: path`/tasks/${id}`, auth: 'party' }, request);
      if (ended.includes(task.status)) return task;
      failed = 0;
    } catch (error) {
      if (!mayPass(error) || ++failed > maxFailedPolls) throw error;
      pause = Math.max(pause, askedPauseMs(error));
    }
    await sleep(pause, request.signal);
  }
}

/** False if an agent works on it, it has ended, or nobody answers. */
const isCancelled = (http: Http, id: string, request: RequestOptions): Promise<boolean> =>
  http.request({ method: 'POST', path: path`/tasks/${id}/cancel`, auth: 'party' }, request).then(
    () => true,
    () => false,
  );

const mayPass = (error: unknown): boolean => isTransient(error) || error instanceof RateLimitError;
