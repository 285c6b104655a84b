import { z } from 'zod';
import { type ErrorCode, errors } from './errors.ts';
import { id } from './ids.ts';
import { ownedAtMost, scheduleLimits } from './limits.ts';
import { cents, positiveCents } from './money.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';
import { taskTypes } from './task-types.ts';
import { unpricedSubmission } from './tasks.ts';
import { ownName } from './templates.ts';
import { timeZone } from './time-zone.ts';

/** `starting`: its task is submitted within seconds. */
const scheduleRunStatuses = ['starting', 'submitted', 'skipped', 'failed'] as const;
export type ScheduleRunStatus = (typeof scheduleRunStatuses)[number];
/** Why a run submitted nothing although nothing was wrong. */
const skipReasons = ['still_open', 'monthly_budget', 'paused'] as const;
export type SkipReason = (typeof skipReasons)[number];
const pauseReasons = ['owner', 'failures'] as const;
export type PauseReason = (typeof pauseReasons)[number];

const cron = z
  .string()
  .trim()
  .max(100)
  .regex(/^[\dA-Za-z*,/#-]+(?: +[\dA-Za-z*,/#-]+){4}$/, 'must be five fields with a blank between them: 0 9 * * 1-5')
  .meta({
    description: `Five fields: minute, hour, day of the month, month, day of the week. At least ${scheduleLimits.leastMinutes} minutes between two runs`,
    examples: ['0 9 * * 1-5'],
  });
const run = z
  .object({
    id: id('scheduleRun'),
    scheduleId: id('schedule'),
    trigger: z.enum(['schedule', 'owner']).meta({ description: '`owner`: it was asked for' }),
    plannedAt: timestamp.meta({ description: 'The time of the schedule, or when it was asked for' }),
    startedAt: timestamp.meta({ description: 'Later than `plannedAt` where no server was at work' }),
    status: z.enum(scheduleRunStatuses),
    taskIds: z.array(id('task')).meta({ description: 'What it submitted: one task, or each of several attempts' }),
    cost: cents.meta({ description: 'Cents that its tasks were charged; of open ones, their budgets' }),
    skipReason: z.enum(skipReasons).nullable().meta({
      description:
        '`still_open`: a task of the run before was not over. `monthly_budget`: what the month has left is less than a run may cost. `paused`: the schedule was paused before the task could be submitted',
    }),
    error: z
      .object({ code: z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]), message: z.string() })
      .nullable()
      .meta({ description: 'Why the submission was refused' }),
  })
  .meta({ id: 'ScheduleRun' });

const listedSchedule = z
  .object({
    id: id('schedule'),
    name: z.string(),
    cron: z.string(),
    timeZone: z.string(),
    templateId: id('template').nullable(),
    title: z.string().meta({ description: 'The title that its tasks have' }),
    taskType: z.enum(taskTypes),
    maxBudget: cents,
    monthlyBudget: cents,
    spentThisMonth: cents.meta({ description: 'Cents: the cost of the runs of this calendar month in its time zone' }),
    status: z.enum(['active', 'paused']),
    pausedBecause: z.enum(pauseReasons).nullable(),
    failuresInARow: z.int().min(0),
    nextRunAt: timestamp.nullable().meta({ description: 'Null while it is paused' }),
    lastRunAt: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ListedSchedule' });

const schedule = listedSchedule
  .extend({
    task: unpricedSubmission.nullable().meta({ description: 'Null where a template has it' }),
  })
  .meta({ id: 'Schedule' });

const fields = {
  name: ownName,
  cron,
  timeZone,
  templateId: id('template').optional().meta({ description: 'The template that is submitted. Or give `task`' }),
  task: unpricedSubmission.optional().meta({ description: 'The body of `POST /tasks` without `maxBudget`' }),
  maxBudget: positiveCents.meta({
    description: 'The `maxBudget` of each task that it submits, in cents, in place of the one of the template',
  }),
  monthlyBudget: positiveCents.meta({
    description:
      'The most that the runs of one calendar month in its time zone may cost together, in cents. A run for which too little is left is skipped',
  }),
};

const ofOwner = { auth: 'owner', area: 'general' } as const;
const params = z.object({ scheduleId: z.string() });
const path = '/schedules/:scheduleId';
const refused = ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE', 'TEMPLATE_NOT_FOUND'] as const;

/** Tasks that are submitted by the clock. */
export const scheduleOperations = {
  'schedules.create': operation({
    ...ofOwner,
    id: 'schedules.create',
    method: 'POST',
    path: '/schedules',
    tx: 'write',
    summary: 'Submit a task by the clock, within budgets',
    description: `A run is skipped while a task of the run before is open. ${scheduleLimits.failuresBeforePause} failures in a row pause the schedule. An owner can have ${ownedAtMost.schedules} schedules.`,
    body: z.strictObject(fields).refine(({ templateId, task }) => (templateId === undefined) !== (task === undefined), {
      path: ['templateId'],
      message: 'or `task` must be given, and not both',
    }),
    reply: { status: 201, schema: schedule },
    errors: [...refused, 'SCHEDULE_LIMIT_REACHED', 'TEMPLATE_LIMIT_REACHED'],
  }),
  'schedules.list': operation({
    ...ofOwner,
    id: 'schedules.list',
    method: 'GET',
    path: '/schedules',
    tx: 'read',
    summary: 'List the schedules, newest first, without their tasks',
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(listedSchedule) },
    errors: ['VALIDATION_ERROR'],
  }),
  'schedules.preview': operation({
    ...ofOwner,
    id: 'schedules.preview',
    method: 'GET',
    path: '/schedules/preview',
    tx: 'read',
    summary: 'When a schedule would run next, before it is made',
    query: z.strictObject({ cron, timeZone }),
    reply: {
      status: 200,
      schema: z.object({ runs: z.array(timestamp).meta({ description: 'The next three times' }) }),
    },
    errors: ['VALIDATION_ERROR'],
  }),
  'schedules.get': operation({
    ...ofOwner,
    id: 'schedules.get',
    method: 'GET',
    path,
    params,
    tx: 'read',
    summary: 'One schedule with its task',
    reply: { status: 200, schema: schedule },
    errors: ['SCHEDULE_NOT_FOUND'],
  }),
  'schedules.update': operation({
    ...ofOwner,
    id: 'schedules.update',
    method: 'PATCH',
    path,
    params,
    tx: 'write',
    summary: 'Change what a schedule submits, when, and for how much',
    description: 'A template takes the place of a task, and the other way round. What has run stays as it is.',
    body: z
      .strictObject({
        ...fields,
        name: fields.name.optional(),
        cron: cron.optional(),
        timeZone: timeZone.optional(),
        maxBudget: fields.maxBudget.optional(),
        monthlyBudget: fields.monthlyBudget.optional(),
      })
      .refine(({ templateId, task }) => templateId === undefined || task === undefined, {
        path: ['templateId'],
        message: 'and `task` cannot both be given',
      }),
    reply: { status: 200, schema: schedule },
    errors: [...refused, 'SCHEDULE_NOT_FOUND', 'TEMPLATE_LIMIT_REACHED'],
  }),
  'schedules.delete': operation({
    ...ofOwner,
    id: 'schedules.delete',
    method: 'DELETE',
    path,
    params,
    tx: 'write',
    summary: 'Delete a schedule with its history; its open tasks go on',
    reply: { status: 204 },
    errors: ['SCHEDULE_NOT_FOUND'],
  }),
  'schedules.pause': operation({
    ...ofOwner,
    id: 'schedules.pause',
    method: 'POST',
    path: `${path}/pause`,
    params,
    tx: 'write',
    summary: 'Pause a schedule; its open tasks go on',
    reply: { status: 200, schema: schedule },
    errors: ['SCHEDULE_NOT_FOUND'],
  }),
  'schedules.resume': operation({
    ...ofOwner,
    id: 'schedules.resume',
    method: 'POST',
    path: `${path}/resume`,
    params,
    tx: 'write',
    summary: 'Let a paused schedule run again, from its next time on',
    reply: { status: 200, schema: schedule },
    errors: ['SCHEDULE_NOT_FOUND'],
  }),
  'schedules.run': operation({
    ...ofOwner,
    area: 'tasks',
    id: 'schedules.run',
    method: 'POST',
    path: `${path}/run`,
    params,
    tx: 'write',
    summary: 'Run a schedule now, also a paused one; its next time stays',
    description: 'The reply has status `starting`; the list of runs says within seconds what became of it.',
    reply: { status: 202, schema: run },
    errors: ['SCHEDULE_NOT_FOUND', 'SCHEDULE_RUN_OPEN'],
  }),
  'schedules.listRuns': operation({
    ...ofOwner,
    id: 'schedules.listRuns',
    method: 'GET',
    path: `${path}/runs`,
    params,
    tx: 'read',
    summary: 'What became of the runs of a schedule, newest first',
    description: `Runs are kept for ${scheduleLimits.keptDays} days; of those that submitted nothing, the last ${scheduleLimits.keptWithoutTask}.`,
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(run) },
    errors: ['VALIDATION_ERROR', 'SCHEDULE_NOT_FOUND'],
  }),
} as const;
