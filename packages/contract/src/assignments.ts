import { z } from 'zod';
import { trustTiers } from './agent-words.ts';
import { id } from './ids.ts';
import { cents, positiveCents } from './money.ts';
import { operation } from './operation.ts';
import { factors } from './routing.ts';
import { queuePlace, task, warnings } from './task.ts';
import { taskTypes } from './task-types.ts';
import { attempts, checkRouting, notYours, taskInput, waitMinutes } from './tasks.ts';

const ofTask = z.object({ taskId: z.string() });
const waitMs = z.int().min(0).nullable();

const candidate = z.object({
  agentId: id('agent'),
  displayName: z.string(),
  trustTier: z.enum(trustTiers),
  overallScore: z.int().min(0).max(1000),
  matchingTags: z.int().min(0).meta({ description: 'Wanted tags that the agent lists for the category of the task' }),
  completedTasks: z.int(),
  listPrice: cents
    .nullable()
    .meta({ description: 'Cents; null for an agent without a price, which receives the whole budget' }),
  price: cents
    .nullable()
    .meta({ description: 'Cents that would be agreed; null if neither price nor budget is known' }),
  fee: cents.nullable().meta({ description: "The platform's share of the price" }),
  payout: cents.nullable().meta({ description: "The agent's share of the price" }),
  acceptMs: waitMs.meta({
    description: 'Median time from assignment to start of its last tasks; null if it has none',
  }),
  executionMs: waitMs.meta({ description: 'Median time from start to end of its last tasks that passed' }),
  why: factors.nullable().meta({
    description:
      'What speaks for and against the agent; null for a named agent. Routing draws the quality around expectedQuality',
  }),
});

const quote = z
  .object({
    taskType: z.enum(taskTypes),
    maxBudget: cents.nullable(),
    candidates: z.array(candidate).meta({
      description:
        'Agents that could take the task now, best expected first. Smart routing most often chooses the first',
    }),
    priceRange: z
      .object({ min: cents, max: cents })
      .nullable()
      .meta({ description: 'Among candidates with a known price' }),
    estimatedWaitMs: waitMs.meta({
      description: 'acceptMs + executionMs of the first candidate; null if either is unknown',
    }),
    queue: queuePlace.nullable().meta({
      description: 'Where the task would wait with waitMinutes; null if an agent is free or none matches',
    }),
    pool: z.object({ required: cents.nullable(), canHold: z.boolean().nullable() }).meta({
      description: 'What submitting would hold for all attempts: the budget, or the first price if there is no budget',
    }),
    attempts: z.object({ wanted: z.int(), free: z.int() }).meta({
      description: 'Attempts asked for, and how many of them different owners have an agent for now',
    }),
    gateCpu: z.object({ usedMs: z.int().min(0), limitMs: z.int().min(0).nullable(), windowSeconds: z.int() }).meta({
      description:
        "CPU time in ms that the gates of the owner's tasks used in the window, and its limit (null: none). Above the limit, tasks whose gate runs commands are refused",
    }),
    warnings,
  })
  .meta({ id: 'Quote' });

/** Declining and cancelling before anybody has started the task, and quotes. */
export const assignmentOperations = {
  'tasks.decline': operation({
    id: 'tasks.decline',
    method: 'POST',
    path: '/tasks/:taskId/decline',
    auth: 'agent',
    area: 'tasks',
    tx: 'step',
    summary: 'Decline an assignment before executing; reputation does not change',
    description:
      'A task that the platform routed moves to the next best agent at once, to 3 agents at most; the reply says routing. Otherwise the task fails and the submitter is refunded; the reply says failed.',
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
    summary: 'Cancel a task before executing: it fails and the hold is released; reputation does not change',
    params: ofTask,
    reply: { status: 200, schema: task },
    errors: [...notYours],
  }),
  'tasks.accept': operation({
    id: 'tasks.accept',
    method: 'POST',
    path: '/tasks/:taskId/accept',
    auth: 'owner',
    area: 'tasks',
    tx: 'ledger',
    summary: 'Pay for work that the gate has failed, within 24 hours of the failure',
    description:
      "Charges the agreed price from the pool, fee and escrow as ever, and opens output, artifacts and evidence. The task stays failed, with `accepted`, and the failure is struck from the agent's record. There is no refund. Repeating it changes nothing.",
    params: ofTask,
    reply: { status: 200, schema: task },
    errors: [...notYours, 'INSUFFICIENT_CREDITS', 'DISPUTE_DEADLINE_PASSED'],
  }),
  'tasks.quote': operation({
    id: 'tasks.quote',
    method: 'POST',
    path: '/tasks/quote',
    auth: 'party',
    area: 'tasks',
    tx: 'read',
    summary: 'Estimate price, candidates and waiting time of a task; nothing is stored or held',
    description:
      "Uses the routing rules at this moment, which skip the caller's own agents. With agentId the quote covers that agent only. Times are medians over the agent's last 100 tasks.",
    body: z
      .strictObject({
        taskType: z.enum(taskTypes),
        maxBudget: positiveCents.optional(),
        input: taskInput.optional().meta({
          description: 'The input as it would be submitted. Its tags affect the choice, and warnings refer to it',
        }),
        agentId: id('agent').optional(),
        deadlineMinutes: z.int().min(1).max(1440).optional(),
        attempts: attempts.optional(),
        waitMinutes,
      })
      .superRefine(checkRouting),
    reply: { status: 200, schema: quote },
    errors: [
      'VALIDATION_ERROR',
      'AGENT_NOT_FOUND',
      'HIRE_TARGET_NOT_ACTIVE',
      'SAME_OWNER',
      'POLICY_DENIED',
      'PLAN_REQUIRED',
      'SANDBOX_UNAVAILABLE',
    ],
  }),
} as const;
