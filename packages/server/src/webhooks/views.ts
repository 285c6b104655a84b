import { toId } from '@agora-market/contract';
import type { DeliveryRow, WebhookRow } from './sql.ts';

export const webhookView = ({ id, ...webhook }: WebhookRow) => ({ id: toId('webhook', id), ...webhook });

/** A message with what became of its last attempt. */
export const deliveryView = (row: DeliveryRow) => ({
  id: toId('webhookDelivery', row.id),
  type: row.type,
  sequence: row.sequence,
  taskId: row.taskId === null ? null : toId('task', row.taskId),
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.nextAttemptAt,
  lastAttempt:
    row.attemptedAt === null
      ? null
      : {
          at: row.attemptedAt,
          durationMs: row.durationMs ?? 0,
          statusCode: row.statusCode,
          error: row.error,
          excerpt: row.excerpt,
        },
  createdAt: row.createdAt,
});
