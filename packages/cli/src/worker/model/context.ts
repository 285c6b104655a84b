import type { ModelMessage } from 'ai';
import { tokensOf } from './budget.ts';

/** What is kept of an old result or argument. */
const keptChars = 200;

/** The newest messages, which the model works with, are kept whole: two of its replies and their results. */
const newest = 4;

/**
 * The messages with less of the old ones, so that they have at most so many tokens: first, results and arguments of old
 * calls are shortened; if that is not enough, the oldest calls are left out. The task itself stays.
 */
export function fitContext(messages: readonly ModelMessage[], mostTokens: number): ModelMessage[] {
  const fitted = [...messages];
  const tooLong = () => sizeOf(fitted) > mostTokens;
  for (let at = 1; at < fitted.length - newest && tooLong(); at++) fitted[at] = shortened(fitted[at] as ModelMessage);
  // A result without its call would be refused, so a reply goes with all results that follow it.
  while (tooLong() && fitted.length > newest + 1) {
    const next = fitted.findIndex((message, at) => at > 1 && message.role !== 'tool');
    if (next === -1) break;
    fitted.splice(1, next - 1);
  }
  return fitted;
}

/** Tokens of messages, about. */
export const sizeOf = (messages: readonly ModelMessage[]): number => tokensOf(JSON.stringify(messages));

const shorten = (text: string): string =>
  text.length <= keptChars * 2 ? text : `${text.slice(0, keptChars)} [${text.length - keptChars} more characters]`;

/** Its long strings, wherever they are; names, ids and types are short. */
function shortened(message: ModelMessage): ModelMessage {
  return JSON.parse(JSON.stringify(message, (_, value) => (typeof value === 'string' ? shorten(value) : value)));
}
