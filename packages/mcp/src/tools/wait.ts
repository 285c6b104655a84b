import { terminalStatuses } from '@agora-market/contract';
import type { RequestOptions, TaskStreamEvent } from '@agora-market/sdk';
import { z } from 'zod';
import { asParty } from '../party.ts';
import { taskTold } from '../text.ts';
import { defineTool, fieldsOf, patienceMs, replyOf, type ToolContext } from '../tool.ts';
import { taskShown } from './tasks.ts';

/** Seconds that one call waits at most. */
const longestWait = 600;

/** The task has ended, or its time is up; either way the stream is left. */
const timeUp = Symbol('time up');

export const waitForTask = defineTool({
  name: 'wait_for_task',
  title: 'Wait for a task',
  purpose:
    'Wait until a task has ended, with progress notes on the way; if time runs out, call it again. To look once use get_task.',
  effect: 'reads',
  openWorld: true,
  uses: ['tasks.stream', 'tasks.get'],
  input: z.strictObject({
    ...fieldsOf('tasks.stream'),
    timeoutSeconds: z
      .int()
      .min(1)
      .max(longestWait)
      .default(patienceMs / 1000),
  }),
  output: replyOf('tasks.get'),
  shows: taskShown,
  async call({ taskId, timeoutSeconds }, context) {
    await asParty(context, (options) => follow(taskId, timeoutSeconds * 1000, { ...context, options }));
    const task = await asParty(context, (options) => context.agora.tasks.get(taskId, options));
    return taskTold(
      task,
      ...(terminalStatuses.includes(task.status) ? [] : ['It has not ended yet. Call wait_for_task again.']),
    );
  },
  asTask: {
    begin: async ({ taskId }, context) => ('ended' in (await look([taskId], context)) ? null : [taskId]),
    look,
    // Only the wait ends; the work itself is ended with cancel_task.
    cancel: async () => {},
  },
});

/** How the task stands, as an answer for those who come back for it. */
async function look([taskId = '']: string[], context: ToolContext) {
  const task = await asParty(context, (options) => context.agora.tasks.get(taskId, options));
  return terminalStatuses.includes(task.status) ? { ended: taskTold(task) } : { state: task.status };
}

/** Passes events on as progress until the task has ended or the time is up. */
async function follow(taskId: string, ms: number, { agora, options, progress }: ToolContext): Promise<void> {
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(timeUp), ms);
  const signal = options.signal ? AbortSignal.any([options.signal, enough.signal]) : enough.signal;
  const limited: RequestOptions = { ...options, signal };
  try {
    for await (const event of agora.tasks.stream(taskId, limited)) await progress(wordsOf(event));
  } catch (error) {
    if (error !== timeUp) throw error;
  } finally {
    clearTimeout(timer);
  }
}

function wordsOf({ event, data }: TaskStreamEvent): string {
  if (event === 'status') return data.status;
  if (event === 'complete') return 'completed';
  if (event === 'error') return 'ended without a delivery';
  if (event === 'message') return `${data.kind} of the ${data.author}`;
  if (event === 'unanswered') return 'a question went unanswered';
  const percent = data.percent === null ? [] : [`${data.percent} %`];
  return [...percent, ...(data.message === null ? [] : [data.message])].join(': ');
}
