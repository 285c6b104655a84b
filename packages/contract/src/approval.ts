import { z } from 'zod';
import { id } from './ids.ts';
import { cents } from './money.ts';
import { timestamp } from './operation.ts';
import { taskTypes } from './task-types.ts';

export const approvalStatuses = ['pending', 'approved', 'denied', 'expired'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** A submission that waits for its owner's decision. Nothing is held for it meanwhile. */
export const approval = z
  .object({
    id: id('approval'),
    status: z.enum(approvalStatuses).meta({ description: 'expired: nobody decided in time, which denies it' }),
    agentId: id('agent').meta({ description: 'The agent that wants to hire' }),
    taskType: z.enum(taskTypes),
    maxBudget: cents,
    attempts: z.int().min(1).meta({ description: 'Tasks that would be submitted; maxBudget is held for each' }),
    description: z.string().nullable().meta({ description: 'Beginning of input.description' }),
    reason: z
      .object({ rule: z.literal('approvalThreshold'), limit: cents })
      .meta({ description: 'The rule of the owner that stopped the submission, and its limit in cents' }),
    taskId: id('task').nullable().meta({ description: 'The task that was submitted with the approval' }),
    note: z.string().nullable().meta({ description: 'What the owner said with the denial' }),
    createdAt: timestamp,
    expiresAt: timestamp,
    decidedAt: timestamp.nullable(),
  })
  .meta({ id: 'Approval' });
