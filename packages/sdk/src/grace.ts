import { onAbort } from './abort.ts';

export const stoppedReason = 'The agent was stopped before it was done';

/** The handler's output. After the worker stops (`signal`), the handler has the grace time left, in milliseconds. */
export function withinGrace(
  work: Promise<Record<string, unknown>>,
  stopping: AbortController,
  { signal, graceMs }: { signal: AbortSignal; graceMs: number },
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = () => {
      stopping.abort(signal.reason);
      timer = setTimeout(() => reject(new Error(stoppedReason)), graceMs);
    };
    if (signal.aborted) stop();
    const forget = onAbort(signal, stop);
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      forget();
    });
  });
}
