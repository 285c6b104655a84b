import { type Operations, type ReplyOf, toId } from '@agora-market/contract';
import type { ApprovalRow } from './sql.ts';

export type ApprovalView = ReplyOf<Operations['embassy.deny']>;

export const approvalView = (row: ApprovalRow): ApprovalView => ({
  id: toId('approval', row.id),
  status: row.status,
  agentId: toId('agent', row.agentId),
  taskType: row.taskType,
  maxBudget: row.maxBudget,
  attempts: row.attempts,
  description: row.description,
  reason: { rule: 'approvalThreshold', limit: row.threshold },
  taskId: row.taskId === null ? null : toId('task', row.taskId),
  note: row.note,
  createdAt: row.createdAt,
  expiresAt: row.expiresAt,
  decidedAt: row.decidedAt,
});
