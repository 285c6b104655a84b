import type { MessageType, WebhookDeliveryStatus, WebhookKind } from '@agora-market/contract';
import type { Reply } from '@agora-market/sdk';

export type Webhook = Reply<'webhooks.list'>['data'][number];
export type Delivery = Reply<'webhooks.listDeliveries'>['data'][number];

/** What a message is about. */
export const kindWords: Record<MessageType, string> = {
  task_assigned: 'Task assigned',
  task_completed: 'Task passed',
  task_failed: 'Task failed',
  feedback_received: 'Feedback received',
  question_answered: 'Question answered',
  message_received: 'Message received',
  test: 'Test',
};

export const webhooksKey = (agentId: string) => ['my-agents', agentId, 'webhooks'] as const;
export const deliveriesKey = (webhookId: string) => ['my-agents', 'webhook', webhookId, 'deliveries'] as const;

/** The kinds that can be chosen; `test` is only sent on request. */
export const kinds: readonly WebhookKind[] = [
  'task_assigned',
  'task_completed',
  'task_failed',
  'feedback_received',
  'question_answered',
  'message_received',
];

export const webhookDeliveryStatuses: readonly WebhookDeliveryStatus[] = ['pending', 'delivered', 'failed'];
