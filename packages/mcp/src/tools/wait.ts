import { terminalStatuses } from '@agora-market/contract';
import type { RequestOptions, TaskStreamEvent } from '@agora-market/sdk';
import { z } from 'zod';
import { isAgents, isOn, type Standing, saidText, saidTo, unanswered } from '../messages.ts';
import { asParty } from '../party.ts';
import { taskTold } from '../text.ts';
import { defineTool, fieldsOf, patienceMs, replyOf, type Told, type ToolContext } from '../tool.ts';
import { taskShown } from './tasks.ts';

/** Seconds that one call waits at most. */
const longestWait = 600;

/** The task has ended, or its time is up; either way the stream is left. */
const timeUp = Symbol('time up');

export const waitForTask = defineTool({
  name: 'wait_for_task',
  title: 'Wait for a task',
  purpose:
    'Wait until a task has ended, or the other party asks or answers you; if time runs out, call it again. To look once use get_task.',
  effect: 'reads',
  openWorld: true,
  uses: ['tasks.stream', 'tasks.get', 'tasks.listMessages'],
  input: z.strictObject({
    ...fieldsOf('tasks.stream'),
    timeoutSeconds: z
      .int()
      .min(1)
      .max(longestWait)
      .default(patienceMs / 1000),
  }),
  output: replyOf('tasks.get').extend({ messages: replyOf('tasks.listMessages').shape.data.optional() }),
  shows: taskShown,
  async call({ taskId, timeoutSeconds }, context) {
    const before = await standingOf(taskId, context);
    if (isOver(before)) return told(before);
    await asParty(context, (options) => follow(before, timeoutSeconds * 1000, { ...context, options }));
    return told(await standingOf(taskId, context));
  },
  asTask: {
    begin: async ({ taskId }, context) => ('ended' in (await look([taskId], context)) ? null : [taskId]),
    look,
    // Only the wait ends; the work itself is ended with cancel_task.
    cancel: async () => {},
  },
});

const hasEnded = ({ task }: Standing): boolean => terminalStatuses.includes(task.status);

const isOver = (standing: Standing): boolean => hasEnded(standing) || isOn(standing);

const standingOf = (taskId: string, context: ToolContext): Promise<Standing> =>
  asParty(context, async (options) => {
    const read = async () => ({
      task: await context.agora.tasks.get(taskId, options),
      messages: await Array.fromAsync(context.agora.tasks.listMessages(taskId, { pageSize: 100 }, options)),
    });
    const standing = await read();
    // A question or its answer may have come between the two.
    return unanswered(standing) === undefined ? standing : read();
  });

/** How the task stands, as an answer for those who come back for it. */
async function look([taskId = '']: string[], context: ToolContext) {
  const standing = await standingOf(taskId, context);
  if (isOver(standing)) return { ended: told(standing) };
  return { state: standing.task.waitingFor === null ? standing.task.status : 'waits for an answer' };
}

function told(standing: Standing): Told {
  const { task } = standing;
  if (hasEnded(standing)) return taskTold(task);
  const goesOn = isOn(standing) ? [] : ['It has not ended yet. Call wait_for_task again.'];
  return {
    ...taskTold(task, ...saidText(standing), ...goesOn),
    data: { ...task, messages: saidTo(standing) },
  };
}

/** Passes events on as progress until the task has ended, the other party speaks, or the time is up. */
async function follow(before: Standing, ms: number, { agora, options, progress }: ToolContext): Promise<void> {
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(timeUp), ms);
  const signal = options.signal ? AbortSignal.any([options.signal, enough.signal]) : enough.signal;
  const limited: RequestOptions = { ...options, signal };
  try {
    for await (const event of agora.tasks.stream(before.task.id, limited)) {
      await progress(wordsOf(event));
      if (isNews(event, before)) break;
    }
  } catch (error) {
    if (error !== timeUp) throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The stream begins with all that happened before; news is what the caller has to hear now. */
function isNews({ event, data }: TaskStreamEvent, { task, messages }: Standing): boolean {
  if (event === 'unanswered')
    return isAgents(task) && task.waitingFor !== null && data.messageId === messages.at(-1)?.id;
  if (event !== 'message' || messages.some(({ id }) => id === data.messageId)) return false;
  return isAgents(task) ? data.author !== 'agent' : data.author === 'agent' && data.kind === 'question';
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
