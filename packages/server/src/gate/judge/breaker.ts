/** After so many calls in a row that failed, the endpoint is left alone. */
const failuresToOpen = 5;
const pauseMs = 60_000;

/** Keeps a judge that is down from holding up every task for its whole time. */
export interface Breaker {
  /** Whether a call may be made now; after the pause one call at a time finds out whether the endpoint is back. */
  admits(nowMs: number): boolean;
  /** True if this failure opens it. */
  failed(nowMs: number): boolean;
  succeeded(): void;
  /** The call came to no end of its own (the server stops). */
  abandoned(): void;
}

export function createBreaker(): Breaker {
  let failures = 0;
  let openUntilMs = Number.NEGATIVE_INFINITY;
  let trying = false;
  return {
    admits(nowMs) {
      if (failures < failuresToOpen) return true;
      if (nowMs < openUntilMs || trying) return false;
      trying = true;
      return true;
    },
    failed(nowMs) {
      trying = false;
      failures += 1;
      if (failures < failuresToOpen) return false;
      openUntilMs = nowMs + pauseMs;
      return failures === failuresToOpen;
    },
    succeeded() {
      trying = false;
      failures = 0;
    },
    abandoned() {
      trying = false;
    },
  };
}
