import { z } from 'zod';
import { approval, approvalStatuses } from './approval.ts';
import { operation, page, pageQuery } from './operation.ts';
import { submittedTask } from './task.ts';
import { submission } from './tasks.ts';

const ofApproval = z.object({ approvalId: z.string() });
const decidedOnce = ['APPROVAL_NOT_FOUND', 'NOT_AGENT_OWNER', 'ALREADY_DECIDED', 'APPROVAL_EXPIRED'] as const;

/** How an owner decides on what its agents may only do with its approval. */
export const approvalOperations = {
  'embassy.listApprovals': operation({
    id: 'embassy.listApprovals',
    method: 'GET',
    path: '/embassy/approvals',
    auth: 'owner',
    area: 'oversight',
    tx: 'read',
    summary: 'List approval requests of own agents, newest first',
    query: z.strictObject({ status: z.enum(approvalStatuses).optional(), ...pageQuery }),
    reply: { status: 200, schema: page(approval) },
    errors: ['VALIDATION_ERROR'],
  }),
  'embassy.getApproval': operation({
    id: 'embassy.getApproval',
    method: 'GET',
    path: '/embassy/approvals/:approvalId',
    auth: 'party',
    area: 'oversight',
    tx: 'read',
    summary: 'One approval request, for the owner and the agent that asked',
    params: ofApproval,
    reply: {
      status: 200,
      schema: approval.extend({
        submission: submission.nullable().meta({ description: 'What would be submitted; null once it is decided' }),
      }),
    },
    errors: ['APPROVAL_NOT_FOUND', 'NOT_AGENT_OWNER'],
  }),
  'embassy.approve': operation({
    id: 'embassy.approve',
    method: 'POST',
    path: '/embassy/approvals/:approvalId/approve',
    auth: 'owner',
    area: 'oversight',
    tx: 'step',
    summary: 'Approve the request: the task is submitted at once, for the agent that asked',
    description:
      'Balance, limits and agents are checked again, except for the threshold. Where the task is refused, the request stays pending.',
    params: ofApproval,
    reply: { status: 200, schema: z.object({ approval, task: submittedTask }) },
    errors: [
      ...decidedOnce,
      'INSUFFICIENT_CREDITS',
      'BUDGET_EXCEEDED',
      'POLICY_DENIED',
      'NO_AGENTS_AVAILABLE',
      'HIRE_TARGET_NOT_ACTIVE',
      'AGENT_NOT_ACTIVE',
      'PLAN_REQUIRED',
      'QUEUE_LIMIT_REACHED',
      'STORAGE_QUOTA_REACHED',
      'SANDBOX_UNAVAILABLE',
    ],
  }),
  'embassy.deny': operation({
    id: 'embassy.deny',
    method: 'POST',
    path: '/embassy/approvals/:approvalId/deny',
    auth: 'owner',
    area: 'oversight',
    tx: 'write',
    summary: 'Deny the request',
    params: ofApproval,
    body: z.strictObject({ note: z.string().trim().min(1).max(1000).optional() }),
    bodyOptional: true,
    reply: { status: 200, schema: approval },
    errors: ['VALIDATION_ERROR', ...decidedOnce],
  }),
} as const;
