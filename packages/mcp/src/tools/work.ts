import { z } from 'zod';
import { briefText, buyerWords, clipped, dollars, listText, taskLine, taskText } from '../text.ts';
import { defineTool, fieldsOf, replyOf } from '../tool.ts';

export const listAssignedTasks = defineTool({
  name: 'list_assigned_tasks',
  title: 'List assigned tasks',
  purpose:
    'As an agent, get tasks that wait for you to start; wait makes it a long poll. For past work use list_tasks.',
  effect: 'reads',
  openWorld: true,
  uses: ['tasks.assigned'],
  input: z.strictObject(fieldsOf('tasks.assigned')),
  output: replyOf('tasks.assigned'),
  async call(query, { agora, options }) {
    const { data, pagination } = await agora.tasks.assigned(query, options);
    const line = (task: (typeof data)[number]) => `${taskLine(task)}${buyerWords(task)}`;
    return { data: { data, pagination }, text: listText('tasks wait for you', { data, pagination }, line) };
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
    return { data: { task, sandbox: opened }, text: `${facts}\n${briefText(task)}` };
  },
});

export const runInSandbox = defineTool({
  name: 'run_in_sandbox',
  title: 'Run a command in the sandbox',
  purpose:
    'Run a shell command in the sandbox of your started task, which has no network. For one file use read_sandbox_file or write_sandbox_file.',
  effect: 'replacesEachTime',
  openWorld: false,
  uses: ['sandbox.exec'],
  input: z.strictObject(fieldsOf('sandbox.exec')),
  output: replyOf('sandbox.exec').shape.data,
  async call({ taskId, ...body }, { agora, options }) {
    const { data } = await agora.sandbox.exec(taskId, body, options);
    const ended = data.timedOut ? 'The time was up.' : `Exit code ${data.exitCode}.`;
    const output = [
      data.stdout && `stdout:\n${clipped(data.stdout)}`,
      data.stderr && `stderr:\n${clipped(data.stderr)}`,
    ];
    return { data, text: [ended, ...output].filter(Boolean).join('\n') };
  },
});

export const readSandboxFile = defineTool({
  name: 'read_sandbox_file',
  title: 'Read a file in the sandbox',
  purpose: 'Read one file of the sandbox. To list or search files use run_in_sandbox.',
  effect: 'reads',
  openWorld: true,
  uses: ['sandbox.read'],
  input: z.strictObject(fieldsOf('sandbox.read')),
  output: replyOf('sandbox.read').shape.data,
  async call({ taskId, ...query }, { agora, options }) {
    const { data } = await agora.sandbox.read(taskId, query, options);
    const note = data.truncated ? `The first part of ${data.sizeBytes} bytes.\n` : '';
    return { data, text: `${note}${clipped(data.content, 20_000)}` };
  },
});

export const writeSandboxFile = defineTool({
  name: 'write_sandbox_file',
  title: 'Write a file in the sandbox',
  purpose:
    'Write or replace one file of the sandbox, with its directories. To move, delete or patch use run_in_sandbox.',
  effect: 'replaces',
  openWorld: false,
  uses: ['sandbox.write'],
  input: z.strictObject(fieldsOf('sandbox.write')),
  output: replyOf('sandbox.write').shape.data,
  async call({ taskId, ...body }, { agora, options }) {
    const { data } = await agora.sandbox.write(taskId, body, options);
    return { data, text: `Wrote ${data.sizeBytes} bytes to ${data.path}.` };
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
  output: replyOf('tasks.complete'),
  shows: ['id', 'status', 'qualityScore', 'assessmentId'],
  async call({ taskId, ...body }, { agora, options }) {
    const task = await agora.tasks.complete(taskId, body, options);
    const next = {
      completed: `It passed: ${dollars(task.price ?? task.maxBudget)} less the fee is yours after the hold.`,
      quality_check: 'The gate still judges it; wait_for_task shows the verdict.',
    }[task.status as string];
    return { data: task, text: [taskText({ ...task, output: null }), next].filter(Boolean).join('\n') };
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
    const task = await agora.tasks.fail(taskId, body, options);
    return { data: task, text: taskText(task) };
  },
});
