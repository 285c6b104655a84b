import type { ModelMessage } from 'ai';
import { ask, EndpointError } from './ask.ts';
import { tokensOf } from './budget.ts';
import { fitContext, sizeOf } from './context.ts';
import { briefOf, needsSandbox, resultFrom, systemPrompt } from './prompt.ts';
import type { Done, Session } from './session.ts';
import { type Ending, type Notes, sandboxTools } from './tools.ts';

/** Thrown where the endpoint refuses tools. */
export class NoToolsError extends Error {}

/** Tokens that the descriptions of the tools take, about. */
const toolTokens = 1_200;

/** Replies without a call that are answered with a reminder. */
const mostReminders = 2;

const reminder =
  'You called no tool. Work with the tools, and call finish with the result when you are done, or give_up if you cannot do it.';

/**
 * Lets the model work with tools until it finishes. Rejects if it gives up, never finishes, uses up its budget, or if its
 * endpoint fails. A model that answers a task without files with text alone has done it.
 */
export async function converse(session: Session): Promise<Done> {
  const { work, options, tell } = session;
  const notes: Notes = { ending: null, calls: 0, fatal: null };
  const tools = sandboxTools(work.sandbox, notes, tell);
  const room = options.contextTokens - tokensOf(systemPrompt) - toolTokens;
  let messages: ModelMessage[] = [{ role: 'user', content: briefOf(work.task, room) }];
  for (let turns = 1, reminders = 0; turns <= options.maxSteps; turns++) {
    // A quarter is left for the reply.
    messages = fitContext(messages, Math.floor(room * 0.75));
    const inputTokens = options.contextTokens - room + sizeOf(messages);
    const reply = await ask(session, { system: systemPrompt, messages, tools }, inputTokens).catch(refineRefusal);
    if (notes.fatal !== null) throw notes.fatal;
    if (notes.ending !== null)
      return { result: resultFrom(resultOf(notes.ending), work.task), turns, toolCallCount: notes.calls };
    messages.push(...reply.response.messages);
    if (reply.toolCalls.length > 0) continue;
    const text = reply.text.trim();
    if (text !== '' && !(await needsSandbox(work)))
      return { result: resultFrom(text, work.task), turns, toolCallCount: notes.calls };
    if (++reminders > mostReminders) throw new Error('The model answered with text and did not work on the files');
    messages.push({ role: 'user', content: reminder });
  }
  throw new Error(`The model did not finish within ${options.maxSteps} replies`);
}

function resultOf(ending: Ending): string {
  if ('reason' in ending) throw new Error(`The model gave up: ${ending.reason}`);
  return ending.result;
}

/** Servers of local models say it in these words where a model's template has no tools. */
function refineRefusal(error: unknown): never {
  if (error instanceof EndpointError && [400, 404, 422, 500, 501].includes(error.status ?? 0)) {
    if (/tool|function.call/i.test(error.message) && /support|allow|enable|unknown|requires/i.test(error.message)) {
      throw new NoToolsError(`The model cannot call tools: ${error.message}`);
    }
  }
  throw error;
}
