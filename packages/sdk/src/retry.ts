import { onAbort } from './abort.ts';
import { type AgoraError, ConnectionError, RateLimitError, ServerError, TimeoutError } from './errors.ts';

/** First pause of the exponential backoff and its ceiling. */
const firstPauseMs = 250;
const longestPauseMs = 8_000;

/**
 * Milliseconds before retry number `attempt` (from 0). The pause doubles each time; half of it is random, so that
 * clients spread out.
 */
export function backoffMs(attempt: number, random = Math.random): number {
  const full = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
  return full / 2 + (full / 2) * random();
}

/** Retries where more would not help: the server itself fails, or a loop around the call goes on and can say so. */
export const fewRetries = 2;

/** How long a caller is ready to repeat a call. */
export interface Patience {
  /** For a server or network that is away, from the beginning of the call. */
  retryForMs: number;
  /** For one pause. */
  longestWaitMs: number;
  /** Of whatever fails; infinite where the caller does not say. */
  maxRetries: number;
}

/**
 * Milliseconds before the next attempt, or null if there must be none. A call is `repeatable` if it changes nothing or
 * carries an idempotency key. Others are retried only after 429, which means that nothing was done.
 */
export function pauseBeforeRetry(
  error: unknown,
  { attempt, elapsedMs, repeatable }: { attempt: number; elapsedMs: number; repeatable: boolean },
  { retryForMs, longestWaitMs, maxRetries }: Patience,
): number | null {
  if (attempt >= maxRetries) return null;
  const limited = error instanceof RateLimitError;
  if (!limited && !(repeatable && isTransient(error))) return null;
  const isCounted = Number.isFinite(maxRetries);
  if (!limited && !isCounted && !isOutage(error) && attempt >= fewRetries) return null;
  const askedMs = askedPauseMs(error);
  const backoff = backoffMs(attempt);
  const mostMs = limited ? Math.max(retryForMs, longestWaitMs) : retryForMs;
  if (Math.max(askedMs, backoff) > longestWaitMs || elapsedMs >= mostMs) return null;
  // Both: many clients are asked for the same pause, and a proxy may ask for none at all, again and again.
  return Math.min(longestWaitMs, askedMs + backoff);
}

/** Milliseconds of the pause that the server asks for; 0 if it asks for none. */
export const askedPauseMs = (error: unknown): number => ((error as AgoraError).retryAfterSeconds ?? 0) * 1000;

/** Whether no server answered: no reply, that of a proxy, or of a server that names the pause after which to come back. */
const isOutage = (error: unknown): boolean =>
  isTransient(error) &&
  (!(error instanceof ServerError) || error.code.startsWith('HTTP_') || error.retryAfterSeconds !== null);

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
