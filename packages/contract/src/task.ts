import { z } from 'zod';
import { buyerRecord } from './buyers.ts';
import { id } from './ids.ts';
import { maxAttempts } from './limits.ts';
import { cents } from './money.ts';
import { timestamp } from './operation.ts';
import { pullRequestReasons } from './pull-requests.ts';
import { taskStatuses } from './task-states.ts';
import { taskTypes } from './task-types.ts';

/** Why a task failed. */
export const taskFailures = [
  'cancelled',
  'declined',
  'timed_out',
  'gave_up',
  'checks_failed',
  'not_selected',
  'input_unavailable',
  'infrastructure',
] as const;
export type TaskFailure = (typeof taskFailures)[number];

/** Which of several attempts a task is. */
const membership = z
  .object({
    groupId: id('group'),
    attempt: z.int().min(1).max(maxAttempts),
    attempts: z.int().min(2).max(maxAttempts).meta({
      description:
        'Agents of different owners that do the same task. The best delivery that passes is paid, and no other',
    }),
    taskIds: z.array(id('task')).optional().meta({ description: 'All attempts in order; for the submitter alone' }),
  })
  .meta({ id: 'TaskMembership' });

const feedbackRecord = z.object({
  direction: z.enum(['up', 'down']),
  comment: z.string().nullable(),
  createdAt: timestamp,
});

/** How long a task may still have to wait for an agent. */
const inQueue = {
  place: z.int().min(1).meta({
    description: 'Tasks of its category that get an agent until it does, itself included, if owners take turns',
  }),
  estimatedMs: z.int().min(0).nullable().meta({
    description: 'Until its turn, at the usual pace of the agents that could take it; null if that is not known',
  }),
};

/** A task that waits for an agent. */
const waiting = z.object({
  ...inQueue,
  until: timestamp.meta({ description: 'When it fails and is refunded, if no agent has it by then' }),
});

/** Where a task would wait. */
export const queuePlace = z.object({
  matching: z.int().min(1).meta({ description: 'Agents that could take it and are busy; 40 stands for more' }),
  ...inQueue,
});

/** What became of the pull request that a submission asked for. */
const pullRequest = z
  .object({
    status: z.enum(['pending', 'opened', 'failed']),
    url: z.string().nullable(),
    reason: z.enum(pullRequestReasons).nullable().meta({ description: 'Why there is none; null unless it failed' }),
    message: z.string().nullable().meta({ description: 'The reason in words, with what the forge said' }),
  })
  .meta({ id: 'TaskPullRequest' });
export type PullRequestView = z.output<typeof pullRequest>;

export const task = z
  .object({
    id: id('task'),
    title: z.string().meta({
      description: '`input.title`, otherwise the first line of the description, otherwise the type in words',
    }),
    taskType: z.enum(taskTypes),
    status: z.enum(taskStatuses),
    failure: z.enum(taskFailures).nullable().meta({
      description:
        'Why it failed; null for a task that has not, or did so before Agora 0.1. `not_selected`: it passed, and another attempt was better',
    }),
    maxBudget: cents,
    price: cents.nullable(),
    agentId: id('agent').nullable().meta({ description: 'Null while the task waits for an agent' }),
    submitterId: z.string().meta({ description: 'Owner or, for sub-hires, agent id' }),
    input: z.record(z.string(), z.unknown()).meta({
      description:
        'For the agent: description, names and sizes of files, and free-form keys from executing on. code, file contents and repo are only in the sandbox',
    }),
    output: z.record(z.string(), z.unknown()).nullable().meta({
      description: 'The agent reads it from its delivery on, the submitter once it is paid',
    }),
    outputWithheld: z.boolean().meta({ description: 'There is an output that the submitter has not paid for' }),
    qualityScore: z.int().min(0).max(100).nullable(),
    executionTimeMs: z.int().nullable(),
    creditsCharged: cents.nullable(),
    accepted: z
      .object({ at: timestamp, price: cents })
      .nullable()
      .meta({ description: 'The buyer has paid for the work although the gate failed it' }),
    reason: z.string().optional().meta({ description: 'Why the agent gave up or declined, in its words' }),
    errorMessage: z.string().optional(),
    feedback: feedbackRecord.nullable(),
    group: membership.nullable().meta({ description: 'null unless several attempts were asked for' }),
    sandboxId: z.string().nullable(),
    assessmentId: id('assessment').nullable(),
    correlationId: z.string(),
    createdAt: timestamp,
    assignedAt: timestamp.nullable(),
    startedAt: timestamp.nullable(),
    finishedAt: timestamp.nullable(),
    acceptBy: timestamp.nullable(),
    deadline: timestamp.nullable().meta({
      description: 'By when the agent must deliver. While `waitingFor` is set, an answer brings it forward again',
    }),
    waitingFor: z.literal('submitter').nullable().meta({
      description: 'The agent has a blocking question that is not answered, and the time for the answer is not over',
    }),
    waitingUntil: timestamp.nullable().meta({ description: 'When the time for the answer is over' }),
    pullRequest: pullRequest.nullable().meta({
      description:
        'For the submitter of a completed task that asked for a pull request, where a task or a list of them is read; otherwise null',
    }),
    inputWarnings: z.array(z.string()).meta({
      description:
        'For the submitter, where one task is read: what the clone of its repository could not get, and which packages its sandbox lacks; empty for anybody else',
    }),
    buyer: buyerRecord.nullable().meta({
      description: 'For the agent, where the tasks that wait for it are listed or one is read; null for anybody else',
    }),
    waiting: waiting
      .nullable()
      .meta({ description: 'For the submitter of a task that waits for its agent; null for any other' }),
  })
  .meta({ id: 'Task' });
export type TaskView = z.output<typeof task>;

const titleChars = 200;

/** The title of a task: the one it was given, otherwise the first line of its description, otherwise its type in words. */
export function titleOf({ input, taskType }: { input: Record<string, unknown>; taskType: string }): string {
  for (const given of [input.title, input.description]) {
    if (typeof given !== 'string') continue;
    // A heading of Markdown is a title without its sign.
    const line = given.trimStart().replace(/^#+ +/, '').slice(0, titleChars).split('\n', 1)[0]?.trim();
    if (line) return line;
  }
  return taskType.charAt(0).toUpperCase() + taskType.slice(1).replaceAll('_', ' ');
}

/** Why a task failed that its submitter called off. */
export const cancelledText = 'The submitter cancelled the task.';

/** Why a task failed, in a line or more: the agent's reason and what is said beyond it, or the platform's words. */
export function failureText({ reason, errorMessage }: { reason?: unknown; errorMessage?: unknown }): string {
  const [why, more] = [reason, errorMessage].map((each) => (typeof each === 'string' ? each : '')) as [string, string];
  // A message that begins or ends with the reason says all, as that of a decline does, or a stack behind its error.
  return more.startsWith(why) || more.endsWith(why) ? more : [why, more].filter((each) => each !== '').join(': ');
}

export const warnings = z
  .array(
    z.object({
      path: z.string().meta({ description: 'The field of the body that the warning is about' }),
      message: z.string(),
    }),
  )
  .meta({ description: 'Parts of the input that probably do not mean what was intended; nothing is refused' });
export type TaskWarning = z.output<typeof warnings>[number];

/** A task as submitting answers it. */
export const submittedTask = task.extend({ warnings }).meta({ id: 'SubmittedTask' });
