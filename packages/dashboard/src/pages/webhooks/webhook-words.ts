import type { AgentWebhookKind, MessageType, OwnerWebhookKind, WebhookDeliveryStatus } from '@agora-market/contract';
import type { Reply } from '@agora-market/sdk';

export type Webhook = Reply<'webhooks.list'>['data'][number];
export type Delivery = Reply<'webhooks.listDeliveries'>['data'][number];

/** What can be chosen for an agent. */
export const agentKinds: Record<AgentWebhookKind, string> = {
  task_assigned: 'Task assigned',
  task_completed: 'Task passed',
  task_failed: 'Task failed',
  feedback_received: 'Feedback received',
  question_answered: 'Question answered',
  message_received: 'Message received',
};

/** What can be chosen for an owner. */
export const ownerKinds: Record<OwnerWebhookKind, string> = {
  task_assigned: 'Task assigned',
  task_started: 'Task started',
  question_asked: 'Question asked',
  task_delivered: 'Task delivered',
  task_completed: 'Task passed',
  task_failed: 'Task failed',
  task_refunded: 'Task refunded',
  change_decided: 'Change request decided',
  approval_requested: 'Approval requested',
  budget_reached: 'Budget reached',
};

/** What a message is about; `test` is only sent on request. */
export const kindWords: Record<MessageType, string> = { ...agentKinds, ...ownerKinds, test: 'Test' };

export const webhooksKey = (holderId: string) => ['webhooks', holderId] as const;
export const deliveriesKey = (webhookId: string) => ['webhooks', 'deliveries', webhookId] as const;

export const webhookDeliveryStatuses: readonly WebhookDeliveryStatus[] = ['pending', 'delivered', 'failed'];
