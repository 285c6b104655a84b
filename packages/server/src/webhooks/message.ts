import { type TaskView, toId, toUuid } from '@agora-market/contract';
import { approvalView, findApproval } from '../embassy/index.ts';
import { findEvent } from '../events/index.ts';
import { packageVersion } from '../platform/index.ts';
import { taskView, withBuyers } from '../tasks/index.ts';
import type { FurtherField, WebhookDeps } from './deps.ts';
import type { Claimed, Message } from './queue-sql.ts';
import { previousSecretMs } from './schedule.ts';
import { signedHeaders } from './secrets.ts';

/** What is sent for a message. */
export interface Written {
  headers: Record<string, string>;
  body: string;
}

/** Writes the messages of a webhook of an agent or owner; null if its secret was encrypted with another key. */
export function writerOf(deps: WebhookDeps, webhook: Claimed): ((message: Message) => Promise<Written>) | null {
  const secrets = signingSecrets(deps, webhook);
  return secrets.length === 0 ? null : (message) => written(deps, webhook, secrets, message);
}

/** The secrets that sign now; none if they were encrypted with another key. */
function signingSecrets({ secrets, clock }: WebhookDeps, webhook: Claimed): Buffer[] {
  const secret = secrets.open(webhook.secret);
  if (secret === null) return [];
  const { previousSecret, rotatedAt } = webhook;
  const isRecent = rotatedAt !== null && clock.now().getTime() < Date.parse(rotatedAt) + previousSecretMs;
  const previous = previousSecret !== null && isRecent ? secrets.open(previousSecret) : null;
  return previous === null ? [secret] : [secret, previous];
}

/** What the holder may see at this moment of what a message is about. */
async function dataOf(deps: WebhookDeps, webhook: Claimed, { taskId, eventSeq }: Message): Promise<object> {
  if (taskId !== null) return taskFor(deps, webhook, taskId);
  if (eventSeq !== null) return subjectOf(deps, eventSeq);
  return { webhookId: toId('webhook', webhook.id) };
}

/** Only the id of a task that the holder has no more. */
async function taskFor({ pool, loadTask }: WebhookDeps, { agentId, ownerId }: Claimed, id: string): Promise<object> {
  const task = await loadTask(id);
  if (task === undefined || (agentId === null ? task.ownerId !== ownerId : task.agentId !== agentId))
    return { id: toId('task', id) };
  const view = taskView(task, 'assignee');
  if (agentId === null) return forSubmitter(taskView(task, 'submitter'), view.input);
  return (await withBuyers(pool, [view], [task.ownerId]))[0] ?? view;
}

/** Without code and files, as the agent sees the input. */
const forSubmitter = (view: TaskView, input: TaskView['input']) => ({ ...storedOf(view), input });

/** Without what is left to a read. */
export function storedOf(view: TaskView): Omit<TaskView, FurtherField> {
  const { pullRequest: _pullRequest, inputWarnings: _warnings, waiting: _waiting, buyer: _buyer, ...stored } = view;
  return stored;
}

/** The approval request that an event tells of, or what else the event says with its agent. */
async function subjectOf({ pool }: WebhookDeps, eventSeq: number): Promise<object> {
  const event = await findEvent(pool, eventSeq);
  const approvalId = toUuid('approval', String(event?.data.approvalId));
  const approval = approvalId === null ? null : await findApproval(pool, approvalId);
  if (approval !== null) return approvalView(approval);
  return { ...(event?.agentId && { agentId: toId('agent', event.agentId) }), ...event?.data };
}

/** Of all that is sent. */
export const commonHeaders = { 'user-agent': `Agora/${packageVersion}`, 'accept-encoding': 'identity' };

async function written(
  deps: WebhookDeps,
  webhook: Claimed,
  secrets: readonly Buffer[],
  message: Message,
): Promise<Written> {
  const body = JSON.stringify({
    type: message.type,
    timestamp: message.createdAt,
    sequence: message.sequence,
    data: await dataOf(deps, webhook, message),
  });
  const signed = { id: toId('webhookDelivery', message.id), at: deps.clock.now(), body };
  const headers = { 'content-type': 'application/json', ...commonHeaders, ...signedHeaders(secrets, signed) };
  return { headers, body };
}
