import { onAbort } from '../abort.ts';

export const stoppedReason = 'The agent was stopped before it was done';

/**
 * The handler's output. After `stopping` fires, which the worker's own `signal` makes it do, the handler has the grace time
 * left, in milliseconds. Then it is left alone, and the reason of `stopping` is thrown.
 */
export function withinGrace(
  work: Promise<Record<string, unknown>>,
  stopping: AbortController,
  { signal, graceMs }: { signal: AbortSignal; graceMs: number },
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const endLater = () => {
      timer = setTimeout(() => reject(stopping.signal.reason), graceMs);
    };
    stopping.signal.addEventListener('abort', endLater, { once: true });
    if (stopping.signal.aborted) endLater();
    const stop = () => stopping.abort(signal.reason);
    if (signal.aborted) stop();
    const forget = onAbort(signal, stop);
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      // It is aborted when the task is over; a timer of then would hold the process for the grace time.
      stopping.signal.removeEventListener('abort', endLater);
      forget();
    });
  });
}
