import { z } from 'zod';
import { id } from './ids.ts';
import { ownedAtMost } from './limits.ts';
import { cents } from './money.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';
import { taskTypes } from './task-types.ts';
import { submission } from './tasks.ts';

/** A name that an owner gives. */
export const ownName = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^\P{Cc}*$/u, 'must be one line');

/** A template as lists show it. */
const listedTemplate = z
  .object({
    id: id('template'),
    name: z.string(),
    title: z.string().meta({ description: 'The title that its tasks have' }),
    taskType: z.enum(taskTypes),
    maxBudget: cents,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ListedTemplate' });

const template = listedTemplate
  .extend({ task: submission.meta({ description: 'The body of `POST /tasks`' }) })
  .meta({ id: 'TaskTemplate' });

const ofOwner = { auth: 'owner', area: 'general' } as const;
const one = { ...ofOwner, path: '/templates/:templateId', params: z.object({ templateId: z.string() }) } as const;
const fields = { name: ownName, task: submission };

/** Tasks that an owner has saved under a name. */
export const templateOperations = {
  'templates.create': operation({
    ...ofOwner,
    id: 'templates.create',
    method: 'POST',
    path: '/templates',
    tx: 'write',
    summary: 'Save a task as a template',
    description: `\`task\` is the body of \`POST /tasks\` and is checked as one. What a moment decides is checked at each submission: agents, credits, policies, repositories. An owner can have ${ownedAtMost.templates} templates, and ${ownedAtMost.keptTaskBytes / 1024 / 1024} MiB of tasks in templates and schedules.`,
    body: z.strictObject(fields),
    reply: { status: 201, schema: template },
    errors: ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE', 'TEMPLATE_LIMIT_REACHED'],
  }),
  'templates.list': operation({
    ...ofOwner,
    id: 'templates.list',
    method: 'GET',
    path: '/templates',
    tx: 'read',
    summary: 'List the templates, newest first, without their tasks',
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(listedTemplate) },
    errors: ['VALIDATION_ERROR'],
  }),
  'templates.get': operation({
    ...one,
    id: 'templates.get',
    method: 'GET',
    tx: 'read',
    summary: 'One template with its task',
    reply: { status: 200, schema: template },
    errors: ['TEMPLATE_NOT_FOUND'],
  }),
  'templates.update': operation({
    ...one,
    id: 'templates.update',
    method: 'PATCH',
    tx: 'write',
    summary: 'Rename a template, or replace its task',
    description: 'Schedules that use it submit the new task from their next run on, with the budget of the schedule.',
    body: z.strictObject({ name: fields.name.optional(), task: fields.task.optional() }),
    reply: { status: 200, schema: template },
    errors: ['VALIDATION_ERROR', 'TEMPLATE_NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'TEMPLATE_LIMIT_REACHED'],
  }),
  'templates.delete': operation({
    ...one,
    id: 'templates.delete',
    method: 'DELETE',
    tx: 'write',
    summary: 'Delete a template that no schedule uses',
    reply: { status: 204 },
    errors: ['TEMPLATE_NOT_FOUND', 'TEMPLATE_IN_USE'],
  }),
} as const;
