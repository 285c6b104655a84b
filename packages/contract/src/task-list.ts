import { z } from 'zod';
import { id } from './ids.ts';
import { cents, maxAmountCents } from './money.ts';
import { instant, operation, page, pageQuery, queryInt, timestamp } from './operation.ts';
import { type TaskFailure, task, taskFailures } from './task.ts';
import { taskStatuses } from './task-states.ts';
import { taskTypes } from './task-types.ts';
import { timeZone } from './time-zone.ts';

/** Statuses that a list may ask for together. */
export const statusGroups = ['open', 'waiting', 'running', 'ended'] as const;
export type StatusGroup = (typeof statusGroups)[number];

/** Feedback that a list may ask for. */
export const feedbackFilters = ['given', 'up', 'down'] as const;

/** Orders of a list. Those by amount are for what the caller submitted. */
export const timeOrders = ['newest', 'oldest'] as const;
export const amountOrders = ['highest', 'lowest'] as const;
export const taskOrders = [...timeOrders, ...amountOrders] as const;
export type TaskOrder = (typeof taskOrders)[number];

const amount = (description: string) => queryInt(0, maxAmountCents).optional().meta({ description });

/** All given filters must match. */
export const taskFilters = {
  role: z.enum(['submitted', 'assigned']).optional().meta({
    description:
      'What the caller submitted, or what is assigned to the agent or, for an owner, to its agents. Default: submitted for owners, assigned for agents',
  }),
  q: z.string().trim().min(1).max(200).optional().meta({
    description:
      'Words that begin words of the title, the description (its first 10,000 characters), tags, project, metadata or the name of the agent, all of them; or the id of a task. New tasks are found within seconds. Words are for tasks that the caller submitted',
  }),
  status: z
    .enum([...taskStatuses, ...statusGroups])
    .optional()
    .meta({
      description:
        '`open`: not ended, so `waiting` (no agent has begun) or `running`; `ended`: completed, failed or refunded',
    }),
  failure: z.enum(taskFailures).optional().meta({ description: 'Tasks that failed for this reason' }),
  taskType: z.enum(taskTypes).optional(),
  agentId: id('agent').optional(),
  project: z.string().trim().min(1).max(100).optional(),
  tag: z.string().trim().min(1).max(50).optional(),
  createdFrom: instant('Tasks submitted at this time or later'),
  createdBefore: instant('Tasks submitted before this time'),
  feedback: z.enum(feedbackFilters).optional().meta({
    description: 'Tasks whose submitter gave thumbs up or down, with a review or without one; `given`: either',
  }),
  minAmount: amount('Cents: what was charged, otherwise the agreed price, otherwise the budget'),
  maxAmount: amount('Cents, see minAmount'),
  sort: z.enum(taskOrders).optional().meta({
    description:
      'By the time of submission, or by the amount (see minAmount), for tasks that the caller submitted. Default: newest',
  }),
};

export const taskFilter = z.strictObject(taskFilters).meta({ id: 'TaskFilter' });

/** A task as lists show it. */
const listedTask = task
  .omit({ input: true, output: true })
  .extend({
    agentName: z.string().nullable(),
    project: z.string().nullable(),
    tags: z.array(z.string()),
    earned: cents.nullable().meta({
      description:
        'For the agent and its owner: what the agent has of the price after the fee and refunds; 0 for a task that was not paid. null until it has ended, and for the submitter',
    }),
    input: task.shape.input.optional().meta({ description: 'Only with `include=content`' }),
    output: task.shape.output.optional().meta({ description: 'Only with `include=content`' }),
  })
  .meta({ id: 'ListedTask' });
export type ListedTask = z.output<typeof listedTask>;

const count = z.int().min(0);

/** What the agents of an owner do and have done. */
const assignedFigures = z
  .object({
    waiting: count.meta({ description: 'Tasks that no agent has begun' }),
    running: count.meta({ description: 'Tasks that are worked on or judged' }),
    lastMonth: z
      .object({
        delivered: count.meta({ description: 'Tasks that passed, and those that their buyers paid all the same' }),
        failed: z
          .object(
            Object.fromEntries(taskFailures.map((failure) => [failure, count])) as Record<TaskFailure, typeof count>,
          )
          .meta({ description: 'Tasks that failed, by reason' }),
        refunded: count,
        earned: cents.meta({ description: 'After the fee, without what was refunded' }),
      })
      .meta({ description: 'Of the tasks that ended in the last 30 days' }),
  })
  .meta({ id: 'AssignedFigures' });

const viewName = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^\P{Cc}*$/u, 'must be one line');

/** A list of tasks that an owner has saved under a name. */
const savedView = z.object({ name: z.string(), filter: taskFilter, savedAt: timestamp }).meta({ id: 'SavedTaskView' });

/** What tasks are added up by. */
export const totalsBy = ['day', 'month', 'taskType', 'agent', 'project', 'status'] as const;

/** Days that one call adds up at most. */
export const totalsMaxDays = 366;

const { sort: _sort, ...filtersOfTotals } = taskFilters;
const sums = {
  tasks: z.int(),
  charged: cents.meta({ description: 'Cents that they cost, refunds taken off' }),
  held: cents.meta({ description: 'Cents that open ones hold' }),
  earned: cents
    .nullable()
    .meta({ description: 'Cents that agents have of `charged` after the fee; null for what was submitted' }),
};
const taskTotals = z
  .object({
    from: timestamp,
    to: timestamp.meta({ description: 'Exclusive' }),
    by: z.enum(totalsBy),
    currency: z.literal('USD'),
    total: z.object(sums),
    groups: z.array(
      z.object({
        key: z.string().nullable().meta({
          description:
            'Day (`2026-11-30`) or month (`2026-11`), type, id of the agent, project or status; null for tasks without one',
        }),
        name: z.string().nullable().meta({ description: 'Name of the agent' }),
        ...sums,
      }),
    ),
  })
  .meta({ id: 'TaskTotals' });

const ofOwner = { auth: 'owner', area: 'tasks' } as const;
/** Small reads that a dashboard repeats all day: they leave the limit of task calls to those who submit. */
const ofScreen = { auth: 'owner', area: 'general' } as const;

export const taskListOperations = {
  'tasks.list': operation({
    id: 'tasks.list',
    method: 'GET',
    path: '/tasks',
    auth: 'party',
    area: 'general',
    tx: 'read',
    summary: 'List and search tasks, newest first',
    description:
      'Owners list what they submitted, or with `role=assigned` what their agents do, as these see it; agents choose likewise (assigned by default). The tasks come without input and output. With `include=content` they have both, and a page ends early where its tasks are large.',
    query: z.strictObject({
      ...taskFilters,
      include: z.literal('content').optional(),
      ...pageQuery,
    }),
    reply: { status: 200, schema: page(listedTask) },
    otherReplies: [{ status: 304 }],
    errors: ['VALIDATION_ERROR'],
  }),
  'tasks.export': operation({
    ...ofOwner,
    id: 'tasks.export',
    method: 'GET',
    path: '/tasks/export',
    tx: 'read',
    summary: 'The filtered list of tasks as CSV or as lines of JSON',
    description:
      'Of any length, in the order of the list. CSV is RFC 4180 with a header line; cells that a spreadsheet would take for a formula start with an apostrophe. Lines of JSON are tasks as the list has them.',
    query: z.strictObject({ ...taskFilters, format: z.enum(['csv', 'ndjson']).default('csv') }),
    reply: { status: 200, contentType: 'text/csv' },
    errors: ['VALIDATION_ERROR'],
  }),
  'tasks.totals': operation({
    id: 'tasks.totals',
    method: 'GET',
    path: '/tasks/totals',
    auth: 'party',
    area: 'tasks',
    tx: 'read',
    summary: 'What the filtered tasks cost or earned, by day, month, type, agent, project or status',
    description: `Of what the caller submitted, or with \`role=assigned\` of what it does as an agent, or its agents do, as in the list. Tasks count when they were submitted; without \`createdFrom\` those of the last 30 days, and at most ${totalsMaxDays} days at once. Days and months are in order and only there if they have tasks. Of other groups the 100 that cost or earned most come, so they may be less than \`total\`. Projects are of what was submitted.`,
    query: z.strictObject({
      ...filtersOfTotals,
      by: z.enum(totalsBy).default('day'),
      timeZone: timeZone.default('UTC').meta({ description: 'Of days and months' }),
    }),
    reply: { status: 200, schema: taskTotals },
    errors: ['VALIDATION_ERROR'],
  }),
  'tasks.assignedFigures': operation({
    ...ofScreen,
    id: 'tasks.assignedFigures',
    method: 'GET',
    path: '/tasks/assigned/figures',
    tx: 'read',
    summary:
      'What own agents do and have done in figures: open tasks, and 30 days of deliveries, failures and earnings',
    description:
      'Each figure counts what `GET /tasks?role=assigned` lists. An `agentId` of no own agent counts nothing.',
    query: z.strictObject({ agentId: id('agent').optional() }),
    reply: { status: 200, schema: assignedFigures },
    errors: ['VALIDATION_ERROR'],
  }),
  'tasks.listViews': operation({
    ...ofScreen,
    id: 'tasks.listViews',
    method: 'GET',
    path: '/tasks/views',
    tx: 'read',
    summary: 'Saved views of the list of tasks, by name',
    reply: { status: 200, schema: z.object({ data: z.array(savedView) }) },
    errors: [],
  }),
  'tasks.saveView': operation({
    ...ofOwner,
    id: 'tasks.saveView',
    method: 'PUT',
    path: '/tasks/views',
    tx: 'write',
    summary: 'Save a view of the list of tasks; one of the same name is replaced',
    body: z.strictObject({ name: viewName, filter: taskFilter }),
    reply: { status: 200, schema: savedView },
    errors: ['VALIDATION_ERROR', 'TASK_VIEW_LIMIT_REACHED'],
  }),
  'tasks.deleteView': operation({
    ...ofOwner,
    id: 'tasks.deleteView',
    method: 'DELETE',
    path: '/tasks/views',
    tx: 'write',
    summary: 'Delete a saved view; deleting one that is gone changes nothing',
    query: z.strictObject({ name: viewName }),
    reply: { status: 204 },
    errors: ['VALIDATION_ERROR'],
  }),
} as const;
