import type { MessageAuthor, TaskMessage } from './messages.ts';

/** The open question of a party that the next answer goes to: the one that blocks, or else the oldest. */
export function nextQuestion<Message extends Pick<TaskMessage, 'author' | 'blocking' | 'isOpen'>>(
  messages: readonly Message[],
  author: MessageAuthor,
): Message | null {
  const open = messages.filter((message) => message.isOpen && message.author === author);
  return open.find(({ blocking }) => blocking) ?? open[0] ?? null;
}
