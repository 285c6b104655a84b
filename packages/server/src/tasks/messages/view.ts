import { createHash } from 'node:crypto';
import { canonicalJson, openStatuses, type TaskMessage, taskMessages, toId } from '@agora-market/contract';
import type { TaskRow } from '../sql.ts';
import type { AttachmentRow, MessageRow } from './sql.ts';

const idOrNull = (uuid: string | null) => uuid && toId('message', uuid);

/** A question that the other party may answer now. */
export const isOpen = (
  { kind, answeredBy, agentId }: Pick<MessageRow, 'kind' | 'answeredBy' | 'agentId'>,
  task: Pick<TaskRow, 'agentId' | 'status'>,
): boolean =>
  kind === 'question' && answeredBy === null && agentId === task.agentId && openStatuses.includes(task.status);

export const messageView = (
  message: MessageRow,
  attachments: readonly AttachmentRow[],
  task: Pick<TaskRow, 'agentId' | 'status'>,
  now: Date,
): TaskMessage => ({
  id: toId('message', message.id),
  author: message.author,
  kind: message.kind,
  text: message.text,
  blocking: message.blocking,
  answers: idOrNull(message.answers),
  answeredBy: idOrNull(message.answeredBy),
  isOpen: isOpen(message, task),
  offer: message.offerPrice === null ? null : offerView(message, message.offerPrice, now),
  attachments: attachments
    .filter(({ messageId }) => messageId === message.id)
    .map(({ messageId: _, id, ...attachment }) => ({ id: toId('attachment', id), ...attachment })),
  sha256: message.sha256,
  createdAt: message.createdAt,
});

const offerUntil = ({ createdAt }: Pick<MessageRow, 'createdAt'>) =>
  new Date(Date.parse(createdAt) + taskMessages.offerMs);

type Offer = Pick<MessageRow, 'createdAt' | 'offerDecision' | 'offerTaskId'>;

export const offerStatus = (message: Omit<Offer, 'offerTaskId'>, now: Date) =>
  message.offerDecision ?? (now > offerUntil(message) ? 'expired' : 'open');

export const offerView = (message: Offer, price: number, now: Date): NonNullable<TaskMessage['offer']> => ({
  price,
  status: offerStatus(message, now),
  taskId: message.offerTaskId && toId('task', message.offerTaskId),
  until: offerUntil(message).toISOString(),
});

/** What stands for a message in the log of events, and so in receipts. */
export function digestOf(
  {
    author,
    kind,
    text,
    blocking,
    answers,
    offerPrice: price,
  }: Pick<MessageRow, 'author' | 'kind' | 'text' | 'blocking' | 'answers' | 'offerPrice'>,
  attachments: readonly Pick<AttachmentRow, 'name' | 'contentType' | 'sha256'>[],
): string {
  const files = attachments.map(({ name, contentType, sha256 }) => ({ name, contentType, sha256 }));
  const sealed = {
    author,
    kind,
    text,
    blocking,
    answers: idOrNull(answers),
    attachments: files,
    ...(price !== null && { price }),
  };
  return sha256(canonicalJson(sealed));
}

export const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
