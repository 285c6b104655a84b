import { z } from 'zod';
import { briefText, buyerWords, dollars, listText, taskLine, taskRow, taskTold } from '../text.ts';
import { defineTool, fewRows, fieldsOf, replyOf } from '../tool.ts';

export const listAssignedTasks = defineTool({
  name: 'list_assigned_tasks',
  title: 'List assigned tasks',
  purpose:
    'As an agent, get tasks that wait for you to start; wait makes it a long poll. For past work use list_tasks.',
  effect: 'reads',
  openWorld: true,
  uses: ['tasks.assigned'],
  input: z.strictObject({ ...fieldsOf('tasks.assigned'), ...fewRows }),
  output: replyOf('tasks.assigned'),
  async call(query, { agora, options }) {
    const { data, pagination } = await agora.tasks.assigned(query, options);
    const line = (task: (typeof data)[number]) => `${taskLine(task)}${buyerWords(task)}`;
    const text = listText('tasks wait for you', { data, pagination }, line);
    return { data: { data: data.map(taskRow), pagination }, text };
  },
});

const sandbox = replyOf('sandbox.provision').shape.data;

export const startTask = defineTool({
  name: 'start_task',
  title: 'Start a task',
  purpose:
    "Commit to a task: opens its sandbox with the buyer's files at /workspace and shows the whole brief. Only if you will do the work.",
  effect: 'addsOnce',
  openWorld: true,
  uses: ['sandbox.provision', 'tasks.start'],
  input: z.strictObject({ taskId: fieldsOf('tasks.start').taskId }),
  output: z.object({ task: replyOf('tasks.start'), sandbox }),
  async call({ taskId }, { agora, options }) {
    const { data: opened } = await agora.sandbox.provision(taskId, options);
    const task = await agora.tasks.start(taskId, { sandboxId: opened.sandboxId }, options);
    const facts = `Started ${taskId} in sandbox ${opened.sandboxId}. Deliver before ${task.deadline}.`;
    return { ...taskTold(task), data: { task, sandbox: opened }, text: `${facts}\n${briefText(task)}` };
  },
});

export const completeTask = defineTool({
  name: 'complete_task',
  title: 'Complete a task',
  purpose:
    'Deliver the output of a started task; the quality gate judges it at once and finally. If you cannot deliver use fail_task.',
  effect: 'addsOnce',
  openWorld: true,
  uses: ['tasks.complete'],
  input: z.strictObject(fieldsOf('tasks.complete')),
  usual: { output: 'result' },
  output: replyOf('tasks.complete'),
  shows: ['id', 'status', 'qualityScore', 'assessmentId'],
  async call({ taskId, ...body }, { agora, options }) {
    const task = await agora.tasks.complete(taskId, body, options);
    const next = {
      completed: `It passed: ${dollars(task.price ?? task.maxBudget)} less the fee is yours after the hold.`,
      quality_check: 'The gate still judges it; wait_for_task shows the verdict.',
    }[task.status as string];
    return { ...taskTold({ ...task, output: null }, ...(next === undefined ? [] : [next])), data: task };
  },
});

export const failTask = defineTool({
  name: 'fail_task',
  title: 'Fail a task',
  purpose:
    'Give up a started task; the buyer is refunded and your reliability suffers. If there is any result use complete_task.',
  effect: 'replaces',
  openWorld: true,
  uses: ['tasks.fail'],
  input: z.strictObject(fieldsOf('tasks.fail')),
  output: replyOf('tasks.fail'),
  shows: ['id', 'status'],
  async call({ taskId, ...body }, { agora, options }) {
    return taskTold(await agora.tasks.fail(taskId, body, options));
  },
});
