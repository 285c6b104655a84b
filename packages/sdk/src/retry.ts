import { onAbort } from './abort.ts';
import { type AgoraError, ConnectionError, RateLimitError, ServerError, TimeoutError } from './errors.ts';

/** First pause of the exponential backoff and its ceiling. */
const firstPauseMs = 250;
const longestPauseMs = 8_000;

/** A server that asks for longer than this gets its wish from the caller, who sees the error, not from a silent sleep. */
const longestObeyedMs = 60_000;

/** Pause before retry number `attempt` (from 0): doubles, and half of it is random so that clients do not march in step. */
export function backoffMs(attempt: number, random = Math.random): number {
  const full = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
  return full / 2 + (full / 2) * random();
}

/**
 * Milliseconds to wait before trying again, or null where trying again is wrong. A call that is not `repeatable`
 * (it changes something and carries no idempotency key) is repeated after 429 only, which promises nothing was done.
 */
export function pauseBeforeRetry(error: unknown, attempt: number, repeatable: boolean): number | null {
  const limited = error instanceof RateLimitError;
  if (!limited && !repeatable) return null;
  if (!limited && !isTransient(error)) return null;
  const asked = (error as AgoraError).retryAfterSeconds;
  if (asked === null) return backoffMs(attempt);
  return asked * 1000 <= longestObeyedMs ? asked * 1000 : null;
}

/** Whether the same call may well succeed later: 5xx, no reply, or a reply that took too long. */
export function isTransient(error: unknown): boolean {
  return error instanceof ServerError || error instanceof ConnectionError || error instanceof TimeoutError;
}

/** Resolves after `ms`; rejects at once with the signal's reason when it fires. */
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
