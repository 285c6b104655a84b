import type { TaskHandler, WorkerOptions } from '@agora-market/sdk/worker';

/** Something that does tasks, and what it says about tasks before they start. */
export interface Performer {
  handle: TaskHandler;
  accepts?: WorkerOptions['accepts'];
  /** Asks what does the tasks for a sign of life; rejects with what is wrong. */
  probe?(signal: AbortSignal): Promise<void>;
  /** Whether a task may have failed because what does the tasks does not answer; the probe finds out. */
  isOutage?(error: unknown): boolean;
  /** What cures the usual cause of that, in a sentence. */
  cure?: string;
  /** What does the tasks, in a few words. */
  name: string;
}
