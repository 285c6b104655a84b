import { onAbort } from './abort.ts';
import { type AgoraError, ConnectionError, RateLimitError, ServerError, TimeoutError } from './errors.ts';

/** First pause of the exponential backoff and its ceiling. */
const firstPauseMs = 250;
const longestPauseMs = 8_000;

/** If the server asks for a longer wait, the caller gets the error instead of a silent sleep. */
const longestObeyedMs = 60_000;

/**
 * Milliseconds before retry number `attempt` (from 0). The pause doubles each time; half of it is random, so that
 * clients spread out.
 */
export function backoffMs(attempt: number, random = Math.random): number {
  const full = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
  return full / 2 + (full / 2) * random();
}

/**
 * Milliseconds before the next attempt, or null if there must be none. A call is `repeatable` if it changes nothing or
 * carries an idempotency key. Others are retried only after 429, which means that nothing was done.
 */
export function pauseBeforeRetry(error: unknown, attempt: number, repeatable: boolean): number | null {
  const limited = error instanceof RateLimitError;
  if (!limited && !repeatable) return null;
  if (!limited && !isTransient(error)) return null;
  const asked = (error as AgoraError).retryAfterSeconds;
  if (asked === null) return backoffMs(attempt);
  return asked * 1000 <= longestObeyedMs ? asked * 1000 : null;
}

/** Whether the same call may succeed later: 5xx, no reply, or a reply that took too long. */
export function isTransient(error: unknown): boolean {
  return error instanceof ServerError || error instanceof ConnectionError || error instanceof TimeoutError;
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it fires. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      forget();
      resolve();
    }, ms);
    const forget = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal?.reason);
    });
  });
}
