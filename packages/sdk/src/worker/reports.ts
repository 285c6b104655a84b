import { AgoraError } from '../errors.ts';
import type { Task } from '../types.ts';

/** What became of a task. */
export type WorkerStep =
  | { step: 'declined' | 'failed'; task: Task; reason: string }
  | { step: 'started' | 'restarted'; task: Task }
  | { step: 'delivered'; task: Task; executionTimeMs: number };

/** Where a worker reports its steps, and problems that do not end it. */
export interface Reports {
  step(step: WorkerStep): void;
  error(error: unknown, task: Task | null): void;
  /** The server did not answer a request for tasks. Called at each attempt. */
  outage(error: unknown): void;
  /** The server answers again. */
  recovery(): void;
}

type Problems = Omit<Reports, 'step'>;

export const reportsTo = (onError: Reports['error']): Problems => ({
  error: onError,
  outage: (error) => onError(error, null),
  recovery: () => {},
});

/** One line per problem; two per outage, however long it lasts. */
export function reportsOnConsole(): Problems {
  let isOut = false;
  const say = (line: string) => console.error(`agora worker: ${line}`);
  return {
    error(error, task) {
      const subject = task === null ? '' : `task ${task.id}: `;
      if (error instanceof AgoraError) say(`${subject}${error.message}`);
      // An error of the handler's own code: its stack helps.
      else console.error(`agora worker: ${subject}`, error);
    },
    outage(error) {
      if (!isOut) say(`${messageOf(error)} Trying again until the server answers.`);
      isOut = true;
    },
    recovery() {
      if (isOut) say('The server answers again.');
      isOut = false;
    },
  };
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message || error.name : String(error));
