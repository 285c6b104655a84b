import { readlinkSync } from 'node:fs';
import { cpuMsOf, statFields } from '../proc.ts';

/** Name of the calling thread for `workedMs`; null where the system tells none. */
export function threadName(): string | null {
  try {
    return readlinkSync('/proc/thread-self');
  } catch {
    return null;
  }
}

/** CPU time in ms that a thread of this machine has used, in steps of 10; undefined where the system does not tell. */
export function workedMs(thread: string | null): number | undefined {
  const fields = thread === null ? undefined : statFields(`/proc/${thread}`);
  return fields && cpuMsOf(fields);
}

/** A thread that gets no core is given this many times its limit. */
const patience = 10;

/**
 * Calls `act` when work has taken `limitMs` by its own measure, so that a busy machine is not held against it; by the clock
 * where `worked` measures nothing, and in the end in any case. The function it returns calls that off.
 */
export function limitWork(worked: () => number | undefined, limitMs: number, act: () => void): () => void {
  const startMs = worked();
  let leftByClockMs = limitMs * patience;
  let timer: NodeJS.Timeout;
  const look = (afterMs: number) => {
    timer = setTimeout(() => {
      leftByClockMs -= afterMs;
      const nowMs = worked();
      const isMeasured = startMs !== undefined && nowMs !== undefined;
      const leftMs = isMeasured ? Math.min(limitMs - (nowMs - startMs), leftByClockMs) : 0;
      if (leftMs > 0) look(leftMs);
      // A message may be waiting behind a busy event loop; it is delivered before the second turn.
      else timer = setTimeout(act, 20);
    }, afterMs);
  };
  look(limitMs);
  return () => clearTimeout(timer);
}
