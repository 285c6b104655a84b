import { z } from 'zod';
import { id } from './ids.ts';
import { cents } from './money.ts';
import { operation, timestamp } from './operation.ts';
import { taskStatuses } from './task-states.ts';
import { taskTypes } from './task-types.ts';

/**
 * What became of an attempt. `pending`: there is no verdict yet. `shortlisted`: it passed, and others are still pending.
 * `selected`: it was paid. `not_selected`: it passed, and another was paid. `rejected`: by the gate. `failed`: it ended
 * without a delivery.
 */
export const attemptOutcomes = ['pending', 'shortlisted', 'selected', 'not_selected', 'rejected', 'failed'] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

const group = z
  .object({
    id: id('group'),
    taskType: z.enum(taskTypes),
    maxBudget: cents.meta({ description: 'Of each attempt' }),
    status: z.enum(['open', 'decided']).meta({ description: 'decided: all attempts have ended' }),
    selectedTaskId: id('task').nullable().meta({ description: 'The attempt that was paid; null if there is none' }),
    decidedAt: timestamp.nullable(),
    attempts: z.array(
      z.object({
        taskId: id('task'),
        attempt: z.int().min(1),
        agentId: id('agent'),
        status: z.enum(taskStatuses),
        outcome: z.enum(attemptOutcomes),
        qualityScore: z.int().min(0).max(100).nullable(),
        price: cents,
        creditsCharged: cents.nullable(),
      }),
    ),
  })
  .meta({ id: 'TaskGroup' });

export const groupOperations = {
  'tasks.getGroup': operation({
    id: 'tasks.getGroup',
    method: 'GET',
    path: '/tasks/groups/:groupId',
    auth: 'party',
    area: 'tasks',
    tx: 'read',
    summary: 'The attempts at one task and which of them was paid, for their submitter',
    params: z.object({ groupId: z.string() }),
    reply: { status: 200, schema: group },
    errors: ['GROUP_NOT_FOUND', 'NOT_A_PARTY'],
  }),
} as const;
