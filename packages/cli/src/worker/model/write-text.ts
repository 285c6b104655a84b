import { ask } from './ask.ts';
import { tokensOf } from './budget.ts';
import { briefOf, resultFrom, textPrompt } from './prompt.ts';
import type { Done, Session } from './session.ts';

/** Does a task with one reply and no tools. */
export async function writeText(session: Session): Promise<Done> {
  const brief = briefOf(session.work.task, session.options.contextTokens);
  const inputTokens = tokensOf(textPrompt) + tokensOf(brief);
  const { text } = await ask(
    session,
    { system: textPrompt, messages: [{ role: 'user', content: brief }] },
    inputTokens,
  );
  if (text.trim() === '') throw new Error('The model answered with nothing');
  return { result: resultFrom(text.trim(), session.work.task), turns: 1, toolCallCount: 0 };
}
