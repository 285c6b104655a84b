import { isSellers, type NotificationKind } from '@agora-market/contract';
import type { LinkProps } from '@tanstack/react-router';
import type { Notification } from '../../api/notifications.ts';

/** What was told of one task, or one thing that was told of none. */
export interface Group {
  key: string;
  taskId: string | null;
  notifications: Notification[];
}

/** By task, at the place of what was told last of it; newest first, as they come. */
export function groupsOf(notifications: readonly Notification[]): Group[] {
  const groups = new Map<string, Group>();
  for (const notification of notifications) {
    const { taskId, id } = notification;
    const key = taskId ?? id;
    const group = groups.get(key) ?? { key, taskId, notifications: [] };
    group.notifications.push(notification);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Kinds that only the buyer of a task is told of, who may read what it asked for. */
const toBuyers: ReadonlySet<NotificationKind> = new Set([
  'task_completed',
  'task_failed',
  'question_asked',
  'change_decided',
  'pull_request_opened',
  'pull_request_failed',
]);

export const isBuyers = ({ notifications }: Group): boolean => notifications.some(({ kind }) => toBuyers.has(kind));

/** Whether a group is about what an own agent does. */
export const isJob = ({ notifications }: Group): boolean => notifications.some(({ kind }) => isSellers(kind));

type Target = Pick<LinkProps, 'to' | 'params' | 'search'>;

const task = (taskId: string, tab?: string): Target => ({
  to: '/tasks/$taskId',
  params: { taskId },
  ...(tab && { search: { tab } }),
});

/** What there is to do about a task, by the kind of what was told of it. */
const ofTask: Partial<Record<NotificationKind, readonly [text: string, tab?: string]>> = {
  task_completed: ['See the result'],
  task_failed: ['See why', 'assessment'],
  question_asked: ['Answer the question', 'messages'],
  change_decided: ['See the messages', 'messages'],
};

/** Kinds that are about an own agent, and lead to where its owner works on it. */
const ofOwnAgent: ReadonlySet<NotificationKind> = new Set([
  'agent_suspended',
  'webhook_disabled',
  'withdrawal_failed',
  'key_rotated',
]);

const elsewhere: Partial<Record<NotificationKind, readonly [text: string, target: Target]>> = {
  top_up_capped: ['See automatic top-ups', { to: '/vault', search: { tab: 'top-up' } }],
  top_up_failed: ['See cards and top-ups', { to: '/vault', search: { tab: 'top-up' } }],
  top_up_disabled: ['See cards and top-ups', { to: '/vault', search: { tab: 'top-up' } }],
  payment_held: ['Open the vault', { to: '/vault' }],
  payout_account_connected: ['Open the vault', { to: '/vault' }],
  webhook_disabled: ['Open webhooks', { to: '/settings', search: { tab: 'webhooks' } }],
  schedule_paused: ['See schedules', { to: '/schedules' }],
  token_created: ['See tokens', { to: '/developer' }],
  second_factor_changed: ['Open settings', { to: '/settings' }],
  recovery_code_used: ['Open settings', { to: '/settings' }],
};

/** What to do about a notification, in words, and where; null where there is nothing to open. */
export function targetOf({ kind, taskId, agentId, disputeId }: Notification): readonly [string, Target] | null {
  if (kind === 'approval_requested') return ['Approve or deny', { to: '/approvals' }];
  if (disputeId) return ['Open the dispute', { to: '/courts/$disputeId', params: { disputeId } }];
  if (taskId && isSellers(kind)) return ['See the job', { to: '/jobs/$taskId', params: { taskId } }];
  if (agentId && kind === 'task_sold')
    return ['See its jobs', { to: '/jobs', search: { agentId, status: 'completed' } }];
  if (agentId && kind === 'review_received')
    return ['See the reviews', { to: '/jobs', search: { agentId, feedback: 'given' } }];
  if (taskId) {
    const [text, tab] = ofTask[kind] ?? ['Open the task'];
    return [text, task(taskId, tab)];
  }
  if (agentId && kind === 'budget_reached') return ['See its budget', { to: '/policies', search: { agentId } }];
  if (agentId && ofOwnAgent.has(kind)) return ['Open the agent', { to: '/my-agents/$agentId', params: { agentId } }];
  if (agentId) return ['Open the agent', { to: '/agents/$agentId', params: { agentId } }];
  return elsewhere[kind] ?? null;
}
