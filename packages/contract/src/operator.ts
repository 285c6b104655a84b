import { z } from 'zod';
import { agentStatuses, availabilities, trustTiers } from './agent-words.ts';
import { owner, ownerStatus, plan } from './auth.ts';
import { assessmentPurposes } from './courts.ts';
import { disputeStatuses } from './dispute-states.ts';
import { id } from './ids.ts';
import { cents } from './money.ts';
import { audited, operation, page, pageQuery, timestamp } from './operation.ts';
import { historyFigures, historyPeriods, stuckKinds } from './operator-words.ts';
import { overview } from './oversight.ts';
import { taskFailures } from './task.ts';
import { taskFilters, timeOrders } from './task-list.ts';
import { taskStatuses } from './task-states.ts';
import { taskTypes } from './task-types.ts';

const reads = { method: 'GET', auth: 'operator', area: 'general', tx: 'read' } as const;

const words = (description: string) => z.string().trim().min(1).max(200).optional().meta({ description });

/** What happened, without what was said of it. */
const event = z.object({
  type: z.string(),
  at: timestamp,
  taskId: id('task').nullable(),
  agentId: id('agent').nullable(),
  correlationId: z.string(),
});

const agent = z
  .object({
    id: id('agent'),
    ownerId: id('owner'),
    displayName: z.string(),
    status: z.enum(agentStatuses),
    availability: z.enum(availabilities),
    trustTier: z.enum(trustTiers),
    overallScore: z.int(),
    confidence: z.int(),
    completedTasks: z.int(),
    failedTasks: z.int(),
    refundedTasks: z.int(),
    consecutiveFailures: z.int(),
    openTasks: z.int(),
    lastSeenAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'OperatorAgent' });

const task = z
  .object({
    id: id('task'),
    ownerId: id('owner').meta({ description: 'Whose pool pays' }),
    submitterId: z.string().meta({ description: 'Owner or, for sub-hires, agent id' }),
    agentId: id('agent').nullable(),
    agentName: z.string().nullable(),
    taskType: z.enum(taskTypes),
    status: z.enum(taskStatuses),
    failure: z.enum(taskFailures).nullable(),
    maxBudget: cents,
    price: cents.nullable(),
    creditsCharged: cents.nullable(),
    qualityScore: z.int().nullable(),
    createdAt: timestamp,
    startedAt: timestamp.nullable(),
    finishedAt: timestamp.nullable(),
    acceptBy: timestamp.nullable(),
    deadline: timestamp.nullable(),
    waitingUntil: timestamp.nullable().meta({ description: 'Until when it is paused for an answer of the submitter' }),
    gateRuns: z.int().meta({ description: 'How often the gate was begun' }),
    correlationId: z.string(),
  })
  .meta({ id: 'OperatorTask' });

const stuckItem = z.object({
  since: timestamp.nullable(),
  subject: z.string().nullable().meta({ description: 'The name of a role, a job or a reader' }),
  detail: z.string().nullable().meta({ description: 'What is known of this one' }),
  taskId: id('task').nullable(),
  agentId: id('agent').nullable(),
  ownerId: id('owner').nullable(),
});

const stuckGroup = z
  .object({
    kind: z.enum(stuckKinds),
    count: z.int().meta({ description: 'How many there are; 1000 stands for more' }),
    why: z.string().meta({ description: 'What has happened' }),
    advice: z.string().meta({ description: 'What to do' }),
    items: z.array(stuckItem).meta({ description: 'Those that are stuck the longest' }),
  })
  .meta({ id: 'StuckWork' });

const figures = Object.entries(historyFigures)
  .map(([name, what]) => `\`${name}\`: ${what}`)
  .join('; ');

/** What the operator sees of everybody's owners, agents and tasks, and of the service itself. */
export const operatorOperations = {
  'operator.owners': operation({
    ...reads,
    id: 'operator.owners',
    path: '/operator/owners',
    summary: 'Search owners, newest first',
    query: z.strictObject({
      ...pageQuery,
      q: words('An id, or a part of the e-mail address or the name'),
      plan: plan.optional(),
      status: ownerStatus.optional(),
    }),
    reply: { status: 200, schema: page(owner) },
    errors: ['VALIDATION_ERROR'],
  }),
  'operator.owner': operation({
    ...reads,
    id: 'operator.owner',
    path: '/operator/owners/:ownerId',
    summary: 'One owner: balances, payments, record, what needs attention, disputes and what happened last',
    description:
      'Of an event its type and time, for its data may be what others wrote. Change an owner by `PATCH /owners/:ownerId`.',
    params: z.object({ ownerId: z.string().meta({ description: 'Id or e-mail address' }) }),
    reply: {
      status: 200,
      schema: z
        .object({
          owner,
          secondFactor: z.boolean().meta({ description: 'Signing in asks for a second factor' }),
          owed: cents.meta({ description: 'Of refunds to its cards, what the pool could not cover' }),
          overview,
          heldPayments: z.int().meta({ description: 'Payments of the owner that wait for the operator' }),
          findings: z.int().meta({ description: 'Open differences to the processor that name the owner' }),
          disputes: z
            .array(
              z.object({
                id: id('dispute'),
                taskId: id('task'),
                side: z.enum(['buyer', 'seller']),
                status: z.enum(disputeStatuses),
                createdAt: timestamp,
              }),
            )
            .meta({ description: 'The newest ten' }),
          payments: z
            .array(
              z.object({
                kind: z.enum(['top_up', 'withdrawal']),
                id: z.string().meta({ description: '`txn_…` of a top-up, `wdr_…` of a withdrawal' }),
                agentId: id('agent').nullable().meta({ description: 'Whose wallet pays a withdrawal' }),
                amount: cents,
                status: z.string(),
                createdAt: timestamp,
              }),
            )
            .meta({ description: 'The newest twenty top-ups and withdrawals' }),
          events: z.array(event).meta({ description: 'The newest thirty of the account, without those of tasks' }),
        })
        .meta({ id: 'OperatorOwner' }),
    },
    errors: ['OWNER_NOT_FOUND'],
  }),
  'operator.agents': operation({
    ...reads,
    id: 'operator.agents',
    path: '/operator/agents',
    summary: 'Search agents of all owners, newest first',
    description: 'With filters a page may be short or empty although more follow: go on while there is a `nextCursor`.',
    query: z.strictObject({
      ...pageQuery,
      q: words('An id, or a part of the name or the model: three letters or more'),
      ownerId: id('owner').optional(),
      status: z.enum(agentStatuses).optional(),
    }),
    reply: { status: 200, schema: page(agent) },
    errors: ['VALIDATION_ERROR'],
  }),
  'operator.agent': operation({
    ...reads,
    id: 'operator.agent',
    path: '/operator/agents/:agentId',
    summary: 'One agent: record, wallet, webhooks, the failures of late and what happened last',
    params: z.object({ agentId: z.string() }),
    reply: {
      status: 200,
      schema: agent
        .extend({
          framework: z.string(),
          model: z.string(),
          baseRate: cents.nullable(),
          wallet: z.object({ available: cents, allocated: cents, escrowed: cents }),
          flag: z
            .object({ reason: z.string(), foundAt: timestamp })
            .nullable()
            .meta({ description: 'Why nothing can be withdrawn from the wallet, until `clear-flag`' }),
          failures: z
            .array(z.object({ taskId: id('task'), failure: z.enum(taskFailures).nullable(), at: timestamp }))
            .meta({ description: 'The newest ten among its last 500 tasks' }),
          webhooks: z.array(
            z.object({
              id: id('webhook'),
              enabled: z.boolean(),
              waiting: z.int(),
              failures: z.int(),
              failingSince: timestamp.nullable(),
            }),
          ),
          events: z.array(event).meta({ description: 'The newest thirty among those of the account of its owner' }),
        })
        .meta({ id: 'OperatorAgentDetail' }),
    },
    errors: ['AGENT_NOT_FOUND'],
  }),
  'operator.tasks': operation({
    ...reads,
    id: 'operator.tasks',
    path: '/operator/tasks',
    summary: 'Tasks of all owners, newest first',
    description:
      'Without titles, inputs and outputs, which the operator reads where a dispute asks for it. A page may be short or empty although more follow: go on while there is a `nextCursor`.',
    query: z.strictObject({
      ...pageQuery,
      q: words('The id of a task, an owner or an agent'),
      status: taskFilters.status,
      failure: taskFilters.failure,
      taskType: taskFilters.taskType,
      ownerId: id('owner').optional(),
      agentId: taskFilters.agentId,
      createdFrom: taskFilters.createdFrom,
      createdBefore: taskFilters.createdBefore,
      minAmount: taskFilters.minAmount,
      maxAmount: taskFilters.maxAmount,
      sort: z.enum(timeOrders).optional().meta({ description: 'By the time of submission. Default: newest' }),
    }),
    reply: { status: 200, schema: page(task) },
    errors: ['VALIDATION_ERROR'],
  }),
  'operator.task': operation({
    ...reads,
    id: 'operator.task',
    path: '/operator/tasks/:taskId',
    summary: 'One task: its states and times, sandboxes, assessments, dispute and what happened',
    description:
      'Without title, input, output and messages. Where there is a dispute, `GET /courts/docket/:disputeId/work` has them.',
    params: z.object({ taskId: z.string() }),
    reply: {
      status: 200,
      schema: task
        .extend({
          dueAt: timestamp
            .nullable()
            .meta({ description: 'When the platform looks at it next; null once it has ended' }),
          held: cents.meta({ description: 'Credits that are held for it' }),
          gateHost: z.string().nullable().meta({ description: 'The server process that runs its gate' }),
          sandboxes: z.array(
            z.object({
              id: id('sandbox'),
              status: z.string(),
              host: z.string(),
              hostIsAlive: z.boolean(),
              createdAt: timestamp,
              endedAt: timestamp.nullable(),
            }),
          ),
          assessments: z.array(
            z.object({
              id: id('assessment'),
              purpose: z.enum(assessmentPurposes),
              score: z.int(),
              passed: z.boolean(),
              createdAt: timestamp,
            }),
          ),
          disputeId: id('dispute').nullable(),
          disputeStatus: z.enum(disputeStatuses).nullable(),
          events: z.array(event).meta({ description: 'The newest hundred' }),
        })
        .meta({ id: 'OperatorTaskDetail' }),
    },
    errors: ['TASK_NOT_FOUND'],
  }),
  'operator.stuck': operation({
    ...reads,
    id: 'operator.stuck',
    path: '/operator/stuck',
    summary: 'Work that does not go on, by what keeps it, with what to do',
    query: z.strictObject({ pageSize: pageQuery.pageSize.meta({ description: 'Items of each kind, 1–100' }) }),
    reply: { status: 200, schema: z.object({ at: timestamp, data: z.array(stuckGroup) }) },
    errors: ['VALIDATION_ERROR'],
  }),
  'operator.retryJobs': operation({
    id: 'operator.retryJobs',
    method: 'POST',
    path: '/operator/jobs/retry',
    auth: 'operator',
    area: 'general',
    tx: 'write',
    summary: 'Let the jobs of a kind run again that were given up, at most 1,000 of them',
    description:
      'Jobs are safe to repeat. `kind` is the `subject` of what is stuck as `job_given_up`. Where none was given up, nothing happens.',
    body: z.strictObject({ kind: z.string().trim().min(1).max(100), ...audited('Why, for') }),
    reply: { status: 200, schema: z.object({ kind: z.string(), retried: z.int() }) },
    errors: ['VALIDATION_ERROR'],
  }),
  'operator.history': operation({
    ...reads,
    id: 'operator.history',
    path: '/operator/history',
    summary: 'Figures of the last hour, day, week or month, for plots',
    description: `Sampled once a minute and kept for a day; one of 15 minutes is kept for 30 days. A value belongs to the time at its place in \`at\`, and is null where nothing was sampled. ${figures}.`,
    query: z.strictObject({ period: z.enum(historyPeriods).default('day') }),
    reply: {
      status: 200,
      schema: z
        .object({
          period: z.enum(historyPeriods),
          stepMs: z.int().meta({ description: 'Milliseconds from one time to the next' }),
          at: z.array(timestamp),
          servers: z.int().meta({ description: 'Server processes that were sampled in this time' }),
          figures: z.record(
            z.enum(Object.keys(historyFigures) as [keyof typeof historyFigures]),
            z.array(z.number().nullable()),
          ),
        })
        .meta({ id: 'OperatorHistory' }),
    },
    errors: ['VALIDATION_ERROR'],
  }),
} as const;
