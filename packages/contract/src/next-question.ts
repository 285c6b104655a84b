import type { MessageAuthor, TaskMessage } from './messages.ts';

/** The open question of a party that the next answer goes to: the one for which the deadline waits, or else the oldest. */
export function nextQuestion<Message extends Pick<TaskMessage, 'author' | 'blocking' | 'isOpen'>>(
  messages: readonly Message[],
  author: MessageAuthor,
): Message | null {
  const open = messages.filter((message) => message.isOpen && message.author === author);
  // Of several that block, the deadline waits for the last alone.
  return open.findLast(({ blocking }) => blocking) ?? open[0] ?? null;
}
