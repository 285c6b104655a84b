import { createHash } from 'node:crypto';
import { canonicalJson, type TaskMessage, toId } from '@agora-market/contract';
import type { AttachmentRow, MessageRow } from './sql.ts';

const idOrNull = (uuid: string | null) => uuid && toId('message', uuid);

export const messageView = (message: MessageRow, attachments: readonly AttachmentRow[]): TaskMessage => ({
  id: toId('message', message.id),
  author: message.author,
  kind: message.kind,
  text: message.text,
  blocking: message.blocking,
  answers: idOrNull(message.answers),
  answeredBy: idOrNull(message.answeredBy),
  attachments: attachments
    .filter(({ messageId }) => messageId === message.id)
    .map(({ messageId: _, id, ...attachment }) => ({ id: toId('attachment', id), ...attachment })),
  sha256: message.sha256,
  createdAt: message.createdAt,
});

/** What stands for a message in the log of events, and so in receipts. */
export function digestOf(
  { author, kind, text, blocking, answers }: Pick<MessageRow, 'author' | 'kind' | 'text' | 'blocking' | 'answers'>,
  attachments: readonly Pick<AttachmentRow, 'name' | 'contentType' | 'sha256'>[],
): string {
  const files = attachments.map(({ name, contentType, sha256 }) => ({ name, contentType, sha256 }));
  const sealed = { author, kind, text, blocking, answers: idOrNull(answers), attachments: files };
  return sha256(canonicalJson(sealed));
}

export const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
