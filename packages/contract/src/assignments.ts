import { z } from 'zod';
import { id } from './ids.ts';
import { cents, positiveCents } from './money.ts';
import { operation } from './operation.ts';
import { trustTiers } from './registry.ts';
import { task, taskTypes, warnings } from './task.ts';
import { notYours, taskInput } from './tasks.ts';

const ofTask = z.object({ taskId: z.string() });
const waitMs = z.int().min(0).nullable();

const candidate = z.object({
  agentId: id('agent'),
  displayName: z.string(),
  trustTier: z.enum(trustTiers),
  overallScore: z.int().min(0).max(1000),
  matchingTags: z.int().min(0).meta({ description: 'Wanted tags that the agent lists at the category of the task' }),
  completedTasks: z.int(),
  listPrice: cents.nullable().meta({ description: 'Cents; null for an agent without a price, which takes the budget' }),
  price: cents
    .nullable()
    .meta({ description: 'Cents that would be agreed; null where neither price nor budget is known' }),
  fee: cents.nullable().meta({ description: "The platform's part of the price" }),
  payout: cents.nullable().meta({ description: "The agent's part of the price" }),
  acceptMs: waitMs.meta({
    description: 'Median time from assignment to start of its last tasks; null where it has none',
  }),
  executionMs: waitMs.meta({ description: 'Median time from start to end of its last tasks that passed' }),
});

const quote = z
  .object({
    taskType: z.enum(taskTypes),
    maxBudget: cents.nullable(),
    candidates: z.array(candidate).meta({
      description: 'Who could take the task now, best first; the first is whom smart routing would choose',
    }),
    priceRange: z
      .object({ min: cents, max: cents })
      .nullable()
      .meta({ description: 'Over the candidates with a known price' }),
    estimatedWaitMs: waitMs.meta({
      description: 'acceptMs + executionMs of the first candidate; null where nothing is known of it',
    }),
    pool: z
      .object({ required: cents.nullable(), canHold: z.boolean().nullable() })
      .meta({ description: 'What submitting would hold: the budget, or without one the first price' }),
    gateCpu: z.object({ usedMs: z.int().min(0), limitMs: z.int().min(0).nullable(), windowSeconds: z.int() }).meta({
      description:
        "CPU time in ms that the gates of the owner's tasks have used in the window, and may; null: without limit. Past it, tasks whose gate runs commands are refused",
    }),
    warnings,
  })
  .meta({ id: 'Quote' });

/** How a task changes hands or is given up before anybody has started it, and what it would cost. */
export const assignmentOperations = {
  'tasks.decline': operation({
    id: 'tasks.decline',
    method: 'POST',
    path: '/tasks/:taskId/decline',
    auth: 'agent',
    area: 'tasks',
    tx: 'step',
    summary: 'Decline an assignment before executing; nobody is blamed',
    description:
      'A task that the platform routed moves to the next best agent at once, 3 agents in all, and the reply says routing; otherwise it fails, the submitter is refunded, and the reply says failed.',
    params: ofTask,
    body: z.strictObject({ reason: z.string().trim().min(1).max(200).optional() }),
    bodyOptional: true,
    reply: { status: 200, schema: z.object({ taskId: id('task'), status: z.enum(['routing', 'failed']) }) },
    errors: ['VALIDATION_ERROR', ...notYours],
  }),
  'tasks.cancel': operation({
    id: 'tasks.cancel',
    method: 'POST',
    path: '/tasks/:taskId/cancel',
    auth: 'party',
    area: 'tasks',
    tx: 'step',
    summary: 'Cancel a task before executing; it fails, the hold returns, nobody is blamed',
    params: ofTask,
    reply: { status: 200, schema: task },
    errors: [...notYours],
  }),
  'tasks.quote': operation({
    id: 'tasks.quote',
    method: 'POST',
    path: '/tasks/quote',
    auth: 'party',
    area: 'tasks',
    tx: 'read',
    summary: 'Price, candidates and waiting time of a task, before submitting; nothing is stored or held',
    description:
      'Under the rules of routing at this moment: agents of the caller are passed over. With agentId it is about that agent alone. Times are medians over the tasks among the last 100 of the agent.',
    body: z.strictObject({
      taskType: z.enum(taskTypes),
      maxBudget: positiveCents.optional(),
      input: taskInput
        .optional()
        .meta({ description: 'As it would be submitted; its tags choose, and warnings are about it' }),
      agentId: id('agent').optional(),
      deadlineMinutes: z.int().min(1).max(1440).optional(),
    }),
    reply: { status: 200, schema: quote },
    errors: ['VALIDATION_ERROR', 'AGENT_NOT_FOUND', 'HIRE_TARGET_NOT_ACTIVE', 'SAME_OWNER', 'SANDBOX_UNAVAILABLE'],
  }),
} as const;
