import { dayMs, hourMs, jittered, minuteMs, secondMs } from '../platform/index.ts';

/** The rules of sending: when, how often, how many at once. All times are milliseconds. */

/** Pauses after the first failure, the second and so on. After the attempt that follows the last one, a message has failed. */
export const retryPauses = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  10 * hourMs,
] as const;

const longestPause = Math.max(...retryPauses);

/** Time for one attempt, from its beginning to the end of the reply's head. */
export const attemptMs = 15 * secondMs;
/** Time for what is read of the reply's body. */
export const excerptMs = secondMs;
/** A success that took longer does not make an endpoint a prompt one. */
export const promptMs = secondMs;
/** A round begins no attempt after this time, so that endpoints take turns. */
export const roundMs = 2 * secondMs;
/** A round that has not got a place for its first attempt by then begins none. */
export const placeMs = 10 * secondMs;
/** Another server may take an endpoint over then: longer than a round lasts at most (`placeMs` and an attempt). */
export const leaseMs = 30 * secondMs;
/** A time that lies this far in the future was written before the clock was set back. Clocks of servers differ by less. */
export const clockSkewMs = minuteMs;
/** An endpoint that has only failed for this long is disabled. */
export const disableAfterMs = 5 * dayMs;
/** The secret before a rotation signs for this long. */
export const previousSecretMs = dayMs;
/** Push notifications of a task are forgotten this long after its end, if nothing waits to be sent. */
export const pushKeptMs = dayMs;
/** Messages are deleted this long after they were made. */
export const keptMs = 30 * dayMs;

/** Messages that a round takes, and that are sent at once to an endpoint that succeeded promptly, or to another. */
export const roundOf = {
  prompt: { messages: 50, atOnce: 4 },
  other: { messages: 2, atOnce: 2 },
} as const;

/**
 * One owner has at most this part of the rounds of a lane, of all servers together, and of the attempts of each, however many
 * webhooks it and its agents have.
 */
export const ownersPart = 1 / 4;

/**
 * Rounds and attempts under way at once on a server. Endpoints that failed, were slow or are new have a lane of their own,
 * so that those which answer promptly never wait for them.
 */
export const lanes = [
  { isPrompt: true, rounds: 96, attempts: 96 },
  { isPrompt: false, rounds: 64, attempts: 128 },
] as const;

/** The pause after so many failures in a row (from 1); null after the last one. `random` is from 0 up to 1. */
export function pauseAfter(failures: number, random: number): number | null {
  const pause = retryPauses[failures - 1];
  return pause === undefined ? null : jittered(pause, random);
}

/**
 * An endpoint is paused once so many messages failed since its last success. One message alone may be what its receiver cannot digest,
 * and only that one waits.
 */
export const failedToPause = 3;

/** The pause of an endpoint, the first in a row, the second and so on; it goes on with the longest. */
export const endpointPause = (nth: number, random: number): number =>
  pauseAfter(Math.min(nth, retryPauses.length), random) as number;

/** As long as a reply asks to wait, but never longer than the longest pause; at least as long as without. */
export const pauseAsAsked = (pauseMs: number, askedMs: number | null): number =>
  Math.max(pauseMs, Math.min(askedMs ?? 0, longestPause));
