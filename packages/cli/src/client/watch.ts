import type { Agora, Task, TaskStreamEvent } from '@agora/sdk';
import { withServer } from '../connection.ts';
import { exitCodes, Interrupted } from '../failure.ts';
import type { ServerOptions } from '../options.ts';
import { print } from '../print.ts';
import { taskText } from './task-text.ts';
import { type Board, openBoard } from './watch-board.ts';

/** Follows a task that was submitted before. */
export const watchCommand = (taskId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    // A stream tries for a minute to come back to its server; one that is not there is told at once.
    await agora.tasks.get(taskId);
    await followTask(agora, taskId, options);
  });

/**
 * Shows what happens to a task until it has ended, on stderr, and then prints it. Ctrl-C ends the watching, not the
 * task. Exits 1 if the task did not complete.
 */
export async function followTask(agora: Agora, taskId: string, options: ServerOptions): Promise<void> {
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.on('SIGINT', onInterrupt);
  const board = options.json ? null : openBoard(process.stderr);
  try {
    for await (const event of agora.tasks.stream(taskId, { signal: stop.signal })) show(board, event);
    const task = await agora.tasks.get(taskId, { signal: stop.signal });
    board?.close();
    print(options, task, () => taskText(task));
    if (!isGood(task)) process.exitCode = exitCodes.failed;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new Interrupted(
      `Stopped watching; the task goes on. Continue with \`agora tasks watch ${taskId}\`, ` +
        `or cancel it with \`agora tasks cancel ${taskId}\` while no agent has started it.`,
    );
  } finally {
    board?.close();
    process.off('SIGINT', onInterrupt);
  }
}

const isGood = ({ status }: Task): boolean => status === 'completed';

function show(board: Board | null, { event, data }: TaskStreamEvent): void {
  if (event === 'status') board?.status(data.status);
  if (event === 'progress') board?.progress(data.percent, data.message);
}
