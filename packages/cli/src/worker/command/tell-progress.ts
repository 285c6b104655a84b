import type { Work } from '@agora-market/sdk/worker';
import type { Log } from '../log.ts';

/** Below the platform's 30 notes a minute and 500 a task. */
const everyMs = 3_000;
const mostNotes = 400;
const mostChars = 500;

/** Logs each line, and tells both parties the newest one from time to time. */
export function tellProgress(work: Work, log: Log): (line: string) => void {
  let [toldAt, notes] = [Number.NEGATIVE_INFINITY, 0];
  return (line) => {
    const message = line.trim().slice(0, mostChars);
    if (message === '') return;
    log.line('progress', { task: work.task.id, message });
    if (notes === mostNotes || performance.now() - toldAt < everyMs) return;
    toldAt = performance.now();
    notes++;
    void work.progress({ message });
  };
}
