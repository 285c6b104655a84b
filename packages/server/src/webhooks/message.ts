import { toId } from '@agora-market/contract';
import { packageVersion } from '../platform/index.ts';
import { taskView, withBuyers } from '../tasks/index.ts';
import type { WebhookDeps } from './deps.ts';
import type { Claimed, Message } from './queue-sql.ts';
import { previousSecretMs } from './schedule.ts';
import { signedHeaders } from './secrets.ts';

/** The secrets that sign now; none if they were encrypted with another key. */
export function signingSecrets({ secrets, clock }: WebhookDeps, webhook: Claimed): Buffer[] {
  const secret = secrets.open(webhook.secret);
  if (secret === null) return [];
  const { previousSecret, rotatedAt } = webhook;
  const isRecent = rotatedAt !== null && clock.now().getTime() < Date.parse(rotatedAt) + previousSecretMs;
  const previous = previousSecret !== null && isRecent ? secrets.open(previousSecret) : null;
  return previous === null ? [secret] : [secret, previous];
}

/** The task as the agent may see it at this moment; only its id, if the agent has it no more. */
async function dataOf({ pool, loadTask }: WebhookDeps, { id, agentId }: Claimed, message: Message): Promise<object> {
  if (message.taskId === null) return { webhookId: toId('webhook', id) };
  const task = await loadTask(message.taskId);
  if (task?.agentId !== agentId) return { id: toId('task', message.taskId) };
  const view = taskView(task, 'assignee');
  return (await withBuyers(pool, [view], [task.ownerId]))[0] ?? view;
}

/** A message as it is sent. */
export async function written(
  deps: WebhookDeps,
  webhook: Claimed,
  secrets: readonly Buffer[],
  message: Message,
): Promise<{ headers: Record<string, string>; body: string }> {
  const body = JSON.stringify({
    type: message.type,
    timestamp: message.createdAt,
    sequence: message.sequence,
    data: await dataOf(deps, webhook, message),
  });
  const signed = { id: toId('webhookDelivery', message.id), at: deps.clock.now(), body };
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': `Agora/${packageVersion}`,
      'accept-encoding': 'identity',
      ...signedHeaders(secrets, signed),
    },
    body,
  };
}
