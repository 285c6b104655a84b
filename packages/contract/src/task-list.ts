import { z } from 'zod';
import { id } from './ids.ts';
import { maxAmountCents } from './money.ts';
import { instant, operation, page, pageQuery, queryInt, timestamp } from './operation.ts';
import { task, taskFailures } from './task.ts';
import { taskStatuses } from './task-states.ts';
import { taskTypes } from './task-types.ts';

/** Statuses that a list may ask for together. */
export const statusGroups = ['open', 'ended'] as const;

const amount = (description: string) => queryInt(0, maxAmountCents).optional().meta({ description });

/** All given filters must match. */
const taskFilters = {
  q: z.string().trim().min(1).max(200).optional().meta({
    description:
      'Words that begin words of the title, the description (its first 10,000 characters), tags, project, metadata or the name of the agent, all of them; or the id of a task. New tasks are found within seconds. For tasks that the caller submitted',
  }),
  status: z
    .enum([...taskStatuses, ...statusGroups])
    .optional()
    .meta({ description: '`open`: not ended; `ended`: completed, failed or refunded' }),
  failure: z.enum(taskFailures).optional().meta({ description: 'Tasks that failed for this reason' }),
  taskType: z.enum(taskTypes).optional(),
  agentId: id('agent').optional(),
  project: z.string().trim().min(1).max(100).optional(),
  tag: z.string().trim().min(1).max(50).optional(),
  createdFrom: instant('Tasks submitted at this time or later'),
  createdBefore: instant('Tasks submitted before this time'),
  minAmount: amount('Cents: what was charged, otherwise the agreed price, otherwise the budget'),
  maxAmount: amount('Cents, see minAmount'),
  sort: z.enum(['newest', 'oldest']).optional().meta({ description: 'By the time of submission. Default: newest' }),
};

export const taskFilter = z.strictObject(taskFilters).meta({ id: 'TaskFilter' });

const role = z.enum(['submitted', 'assigned']).optional().meta({
  description: 'For agents: the tasks that they do (assigned, the default) or those that they submitted',
});

/** A task as lists show it. */
const listedTask = task
  .omit({ input: true, output: true })
  .extend({
    agentName: z.string().nullable(),
    project: z.string().nullable(),
    tags: z.array(z.string()),
    input: task.shape.input.optional().meta({ description: 'Only with `include=content`' }),
    output: task.shape.output.optional().meta({ description: 'Only with `include=content`' }),
  })
  .meta({ id: 'ListedTask' });
export type ListedTask = z.output<typeof listedTask>;

const viewName = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^\P{Cc}*$/u, 'must be one line');

/** A list of tasks that an owner has saved under a name. */
const savedView = z.object({ name: z.string(), filter: taskFilter, savedAt: timestamp }).meta({ id: 'SavedTaskView' });

const ofOwner = { auth: 'owner', area: 'tasks' } as const;

export const taskListOperations = {
  'tasks.list': operation({
    id: 'tasks.list',
    method: 'GET',
    path: '/tasks',
    auth: 'party',
    area: 'tasks',
    tx: 'read',
    summary: 'List and search tasks, newest first',
    description:
      'Owners list what they submitted; agents choose with role (assigned by default). The tasks come without input and output. With `include=content` they have both, and a page ends early where its tasks are large.',
    query: z.strictObject({
      ...taskFilters,
      role,
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
  'tasks.listViews': operation({
    ...ofOwner,
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
