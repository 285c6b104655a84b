import type { Agora, Task, TaskStreamEvent } from '@agora-market/sdk';
import { withServer } from '../connection.ts';
import { exitCodes, Interrupted } from '../failure.ts';
import type { ServerOptions } from '../options.ts';
import { print } from '../print.ts';
import { messageLine } from './message-text.ts';
import { taskText } from './task-text.ts';
import { type Board, openBoard } from './watch-board.ts';

/** Follows a task that was submitted before. */
export const watchCommand = (taskId: string, options: ServerOptions): Promise<void> =>
  withServer(options, async (agora) => {
    // A stream tries for a minute to come back to its server; one that is not there is told at once.
    await agora.tasks.get(taskId);
    await followTask(agora, taskId, options);
  });

/** Shows what happens to a task until it has ended, and then prints it. Exits 1 if it did not complete. */
export async function followTask(agora: Agora, taskId: string, options: ServerOptions): Promise<void> {
  const task = await watchToEnd(agora, taskId, options);
  print(options, task, () => taskText(task));
  if (!isGood(task)) process.exitCode = exitCodes.failed;
}

/** The task once it has ended; what happens to it before is shown on stderr. Ctrl-C ends the watching, not the task. */
export async function watchToEnd(agora: Agora, taskId: string, options: ServerOptions): Promise<Task> {
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.on('SIGINT', onInterrupt);
  const board = options.json ? null : openBoard(process.stderr);
  try {
    for await (const event of agora.tasks.stream(taskId, { signal: stop.signal })) {
      show(board, event);
      if (board && event.event === 'message') board.says(await saidIn(agora, taskId, event.data, stop.signal));
    }
    return await agora.tasks.get(taskId, { signal: stop.signal });
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

/** A message as it is shown while its task is watched. */
async function saidIn(agora: Agora, taskId: string, { messageId }: { messageId: string }, signal: AbortSignal) {
  for await (const message of agora.tasks.listMessages(taskId, { pageSize: 100 }, { signal })) {
    if (message.id === messageId) return messageLine(message, 500);
  }
  return `message ${messageId}`;
}

const isGood = ({ status }: Task): boolean => status === 'completed';

function show(board: Board | null, { event, data }: TaskStreamEvent): void {
  if (event === 'status') board?.status(data.status);
  if (event === 'progress') board?.progress(data.percent, data.message);
}
