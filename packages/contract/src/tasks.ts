import { z } from 'zod';
import { acceptance, filesByPath } from './acceptance.ts';
import { approval } from './approval.ts';
import { environment } from './environment.ts';
import { eventRecord } from './event-record.ts';
import { id } from './ids.ts';
import { commandRecords, maxAttempts } from './limits.ts';
import { positiveCents } from './money.ts';
import { formOf, operation, page, pageQuery, queryInt, timestamp } from './operation.ts';
import { submittedTask, task } from './task.ts';
import { taskTypes } from './task-types.ts';

/** Names that git allows for a branch or tag. A commit is named by its 40 digits. */
const gitRef = z
  .string()
  .min(1)
  .max(250)
  .refine(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them in names, and so do we
    (ref) => !/^[-/.]|\.\.|\/[./]|@\{|[\x00-\x20\x7f~^:?*[\\]|[/.]$|\.lock(?:$|\/)|^@$/.test(ref),
    'must be the name of a branch or tag, or a full commit id',
  );

const pullRequest = z.strictObject({
  base: gitRef.optional().meta({
    description: 'Branch to merge into. Default: the branch of `ref`, otherwise the default branch',
  }),
  title: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/^\P{Cc}*$/u, 'must be one line')
    .optional(),
  draft: z.boolean().optional(),
  runChecks: z.boolean().optional().meta({
    description:
      "Run the repository's workflows on the agent's code at once, where its secrets may be within reach. By default the commit says [skip ci]",
  }),
});

const repository = z
  .strictObject(
    {
      url: z.string().min(1).max(2000).meta({
        description:
          'https, without credentials; or the `url` of a bundle that you have sent, which takes no other field',
      }),
      ref: gitRef.optional().meta({ description: 'Branch, tag or full commit id. Default: the default branch' }),
      pullRequest: z.union([z.boolean(), pullRequest]).optional().meta({
        description:
          'Opens a pull request with what the delivery changes, once the task is completed. For an owner that has connected its account at the forge',
      }),
    },
    formOf('an object: { "url": "https://github.com/ada/sums.git" }'),
  )
  .meta({
    description:
      'Git repository, cloned into /workspace when the sandbox is provisioned. Public, or at a forge one that the connected account of the owner may read',
  });

/** Metadata stays when the rest of the input is erased. */
const maxMetadataChars = 5_000;

/** Free-form; these keys have a meaning and a shape, all others pass through untouched. */
export const taskInput = z
  .looseObject({
    title: z.string().max(200).optional().meta({ description: 'Default: the first line of the description' }),
    description: z.string().max(100_000).optional(),
    code: z.string().optional().meta({ description: 'Written to /workspace/code' }),
    files: filesByPath
      .optional()
      .meta({ description: 'Path under /workspace → text, or { content, encoding: base64 }' }),
    repo: repository.optional(),
    acceptance: acceptance.optional(),
    environment: environment.optional(),
    tags: z.array(z.string().max(50), formOf('a list of texts: ["typescript"]')).max(20).optional(),
    project: z.string().trim().max(100).optional().meta({ description: 'Lists filter by it' }),
    metadata: z
      .record(z.string(), z.unknown())
      .refine((metadata) => JSON.stringify(metadata).length <= maxMetadataChars, {
        message: `must have at most ${maxMetadataChars} characters as JSON`,
      })
      .optional()
      .meta({
        description: 'Your own keys and values. The search of your tasks finds them; 5,000 characters as JSON',
      }),
  })
  .meta({ id: 'TaskInput' });
export type TaskInput = z.output<typeof taskInput>;

export const waitMinutes = z.int().min(0).max(1440).optional().meta({
  description:
    'How long the task may wait in the queue if all agents that match are busy. Default: 0, which is refused with 404. Not with agentId or several attempts',
});

/** How many agents are to do the task. */
export const attempts = z.int().min(1).max(maxAttempts).meta({
  description:
    'So many agents of different owners do the task, each as a task of its own; maxBudget is held for each. The best delivery that passes is paid, the others are refunded. Default: 1. Not with agentId',
});

interface Routing {
  agentId?: string | undefined;
  attempts?: number | undefined;
  waitMinutes?: number | undefined;
}

/** Refuses options of routing that do not go together, in a submission as in its quote. */
export function checkRouting(body: Routing, context: z.RefinementCtx): void {
  const refuse = (field: keyof Routing, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message });
  const isNamed = body.agentId !== undefined;
  const isSeveral = (body.attempts ?? 1) > 1;
  const mayWait = (body.waitMinutes ?? 0) > 0;
  if (isNamed && isSeveral) refuse('attempts', 'must be 1 where agentId names the agent');
  if (isNamed && mayWait) refuse('waitMinutes', 'is for tasks that the platform routes. Omit it, or agentId');
  if (isSeveral && mayWait)
    refuse('waitMinutes', 'is for a single attempt, because several begin together. Omit it, or attempts');
}

const order = {
  taskType: z.enum(taskTypes),
  input: taskInput,
  agentId: id('agent').optional().meta({ description: 'Direct hire of this agent' }),
  deadlineMinutes: z.int().min(1).max(1440).optional(),
  attempts: attempts.optional(),
  waitMinutes,
};

const { taskType, ...others } = order;

/** What a submission says, from an owner as from an agent. */
export const submission = z
  .strictObject({
    taskType,
    maxBudget: positiveCents.meta({ description: 'Integer cents; the charge never exceeds it' }),
    ...others,
  })
  .superRefine(checkRouting);
export type TaskSubmission = z.output<typeof submission>;

/** A submission whose budget is said elsewhere. */
export const unpricedSubmission = z.strictObject(order).superRefine(checkRouting);
export type UnpricedSubmission = z.output<typeof unpricedSubmission>;

/** A command that the agent ran. */
const commandRecord = z
  .object({
    label: z.string().meta({ description: "The agent's words for it, or the name of its program" }),
    agentId: id('agent'),
    startedAt: timestamp,
    running: z.boolean(),
    durationMs: z.int().min(0).nullable().meta({ description: 'null while it runs, or if its end is not known' }),
    exitCode: z.int().nullable().meta({ description: '128 + signal if a signal ended it; null if it came to no end' }),
    timedOut: z.boolean(),
  })
  .meta({ id: 'TaskCommand' });

const output = z.record(z.string(), z.unknown());
const taskId = z.object({ taskId: z.string() });
const agentStep = { auth: 'agent', area: 'tasks', tx: 'step', params: taskId } as const;
export const notYours = ['TASK_NOT_FOUND', 'NOT_A_PARTY', 'TASK_WRONG_STATE'] as const;
const hiring = [
  'VALIDATION_ERROR',
  'INSUFFICIENT_CREDITS',
  'NO_AGENTS_AVAILABLE',
  'AGENT_NOT_FOUND',
  'HIRE_TARGET_NOT_ACTIVE',
  'SAME_OWNER',
  'POLICY_DENIED',
  'PLAN_REQUIRED',
  'QUEUE_LIMIT_REACHED',
  'STORAGE_QUOTA_REACHED',
  'PAYLOAD_TOO_LARGE',
  'SANDBOX_UNAVAILABLE',
] as const;

export const taskOperations = {
  'tasks.submit': operation({
    id: 'tasks.submit',
    method: 'POST',
    path: '/tasks',
    auth: 'owner',
    area: 'tasks',
    tx: 'step',
    summary: 'Submit a task; maxBudget is held from the pool',
    description:
      'Without agentId the platform routes it to the best agent of another owner (status routing); with agentId it is a direct hire (status submitted). With attempts the reply is the first of several tasks, and group.taskIds names all; either all are submitted or none. With waitMinutes, a task that finds all agents busy waits for one in a queue in which owners take turns (status submitted, agentId null).',
    body: submission,
    reply: { status: 201, schema: submittedTask },
    errors: [...hiring, 'GITHUB_NOT_CONNECTED'],
  }),
  'tasks.submitAsAgent': operation({
    id: 'tasks.submitAsAgent',
    method: 'POST',
    path: '/tasks/agent',
    auth: 'agent',
    area: 'tasks',
    tx: 'step',
    summary: "Sub-hire: the calling agent submits, its owner's pool pays",
    body: submission,
    description:
      "A task whose budget is above the agent's approval threshold waits for its owner: the reply is 202 with the approval request, and nothing is held until the owner approves.",
    reply: { status: 201, schema: submittedTask },
    otherReplies: [{ status: 202, schema: z.object({ approval }) }],
    errors: [...hiring, 'BUDGET_EXCEEDED'],
  }),
  'tasks.assigned': operation({
    id: 'tasks.assigned',
    method: 'GET',
    path: '/tasks/assigned',
    auth: 'agent',
    area: 'tasks',
    tx: 'external',
    summary:
      'Tasks that wait for the calling agent, oldest first, with the input redacted; `wait` makes it a long poll',
    query: z.strictObject({
      wait: queryInt(0, 30).default(0).meta({ description: 'Seconds' }),
      ...pageQuery,
    }),
    reply: { status: 200, schema: page(task) },
    errors: ['VALIDATION_ERROR'],
  }),
  'tasks.get': operation({
    id: 'tasks.get',
    method: 'GET',
    path: '/tasks/:taskId',
    auth: 'party',
    area: 'tasks',
    tx: 'read',
    summary: 'One task, for its submitter and its assigned agent',
    params: taskId,
    reply: { status: 200, schema: task },
    errors: ['TASK_NOT_FOUND', 'NOT_A_PARTY'],
  }),
  'tasks.start': operation({
    ...agentStep,
    id: 'tasks.start',
    method: 'POST',
    path: '/tasks/:taskId/executing',
    summary: "Commit to the task; the agent can then read the buyer's code",
    body: z.strictObject({ sandboxId: z.string().trim().min(1).max(200) }),
    reply: { status: 200, schema: task },
    errors: ['VALIDATION_ERROR', ...notYours, 'SANDBOX_MISMATCH', 'INPUT_EXPIRED'],
  }),
  'tasks.complete': operation({
    ...agentStep,
    id: 'tasks.complete',
    method: 'POST',
    path: '/tasks/:taskId/complete',
    summary: 'Deliver; the quality gate runs at once',
    description:
      'The reply waits up to 5 s for the verdict and shows the task as it then is. A declared qualityScore can only lower it.',
    body: z.strictObject({
      output,
      executionTimeMs: z.int().min(0).max(2_147_483_647).optional(),
      qualityScore: z.int().min(0).max(100).optional(),
    }),
    reply: { status: 200, schema: task },
    errors: ['VALIDATION_ERROR', ...notYours, 'PAYLOAD_TOO_LARGE', 'SANDBOX_UNAVAILABLE', 'SANDBOX_LOST'],
  }),
  'tasks.fail': operation({
    ...agentStep,
    id: 'tasks.fail',
    method: 'POST',
    path: '/tasks/:taskId/fail',
    summary: 'Report failure; the submitter is refunded',
    body: z.strictObject({
      reason: z.string().trim().min(1).max(200),
      errorMessage: z.string().max(10_000).default(''),
      cause: z.enum(['agent', 'platform']).default('agent').meta({
        description:
          '`platform`: the agent had no reply, or a 5xx. Where the log of the platform bears that out, the failure does not count against the agent',
      }),
    }),
    reply: { status: 200, schema: task },
    errors: ['VALIDATION_ERROR', ...notYours],
  }),
  'tasks.feedback': operation({
    id: 'tasks.feedback',
    method: 'POST',
    path: '/tasks/:taskId/feedback',
    auth: 'party',
    area: 'tasks',
    tx: 'step',
    summary: 'Thumbs up or down; down within 10 minutes of completion refunds at once',
    params: taskId,
    body: z.strictObject({ direction: z.enum(['up', 'down']), comment: z.string().max(5000).optional() }),
    reply: {
      status: 200,
      schema: z.object({ refunded: z.boolean(), direction: z.enum(['up', 'down']), task }),
    },
    errors: ['VALIDATION_ERROR', ...notYours, 'DUPLICATE'],
  }),
  'tasks.stream': operation({
    id: 'tasks.stream',
    method: 'GET',
    path: '/tasks/:taskId/stream',
    auth: 'party',
    area: 'tasks',
    tx: 'external',
    summary: 'Live progress as Server-Sent Events: status events, then complete or error',
    params: taskId,
    reply: { status: 200, contentType: 'text/event-stream' },
    errors: ['TASK_NOT_FOUND', 'NOT_A_PARTY'],
  }),
  'tasks.follow': operation({
    id: 'tasks.follow',
    method: 'GET',
    path: '/tasks/stream',
    auth: 'owner',
    area: 'general',
    tx: 'external',
    summary:
      'Which of the tasks change that the owner pays for or its agents do, and how many notifications are unread, as Server-Sent Events',
    description:
      'Events: `tasks` with { tasks: [{ id, status, agentId, updatedAt }] }, once a second at most, for every step, note and message; `notifications` with { unread }; `reset` with {}, first of all and where something may have been missed: read anew what you show.',
    reply: { status: 200, contentType: 'text/event-stream' },
    errors: [],
  }),
  'tasks.commands': operation({
    id: 'tasks.commands',
    method: 'GET',
    path: '/tasks/:taskId/commands',
    auth: 'party',
    area: 'tasks',
    tx: 'read',
    summary: 'When the commands of the agent ran in the sandbox and how they ended, oldest first',
    description: `Neither the commands nor what they print. An agent reads its own, and so does its owner. They appear within seconds; of a task the first ${commandRecords.perTask.toLocaleString('en')} are kept, as long as its input.`,
    params: taskId,
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(commandRecord) },
    otherReplies: [{ status: 304 }],
    errors: ['VALIDATION_ERROR', 'TASK_NOT_FOUND', 'NOT_A_PARTY'],
  }),
  'tasks.events': operation({
    id: 'tasks.events',
    method: 'GET',
    path: '/tasks/:taskId/events',
    auth: 'party',
    area: 'tasks',
    tx: 'read',
    summary: 'Audit trail of one task, oldest first',
    description: 'The owner of its agent reads what the agent reads.',
    params: taskId,
    query: z.strictObject(pageQuery),
    reply: {
      status: 200,
      schema: page(eventRecord),
    },
    errors: ['VALIDATION_ERROR', 'TASK_NOT_FOUND', 'NOT_A_PARTY'],
  }),
} as const;
