import type { TaskHandler, WorkerOptions } from '@agora/sdk/worker';

/** Something that does tasks, and what it says about tasks before they start. */
export interface Performer {
  handle: TaskHandler;
  accepts?: WorkerOptions['accepts'];
  /** What does the tasks, in a few words. */
  name: string;
}
