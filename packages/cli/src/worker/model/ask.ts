import { APICallError, generateText, type LanguageModel, type ModelMessage, RetryError, type ToolSet } from 'ai';
import type { Session } from './session.ts';

/** After 429, 5xx and lost connections, with growing pauses or as the endpoint asks. */
const maxRetries = 4;

/** A longer reply is cut, and would cost much for what a step needs. */
const mostReplyTokens = 8_000;

/** One reply of the model takes no longer. */
const replyMs = 600_000;

interface Question<T extends ToolSet> {
  system: string;
  messages: ModelMessage[];
  tools?: T;
}

/** Asks for one reply, within the budget, which it is counted in. Rejects with what the endpoint said. */
export async function ask<T extends ToolSet>(session: Session, question: Question<T>, inputTokens: number) {
  const { model, budget, work } = session;
  const maxOutputTokens = Math.min(mostReplyTokens, budget.replyTokens(inputTokens));
  const abortSignal = AbortSignal.any([work.signal, AbortSignal.timeout(replyMs)]);
  try {
    const reply = await generateText({ ...question, model, maxOutputTokens, maxRetries, abortSignal });
    const { inputTokens: input = inputTokens, outputTokens: output = maxOutputTokens } = reply.usage;
    budget.add({ input, output }, inputTokens);
    return reply;
  } catch (error) {
    work.signal.throwIfAborted();
    throw saidBy(error);
  }
}

/** So long a model may take to say one word. */
const probeMs = 60_000;

/** Asks for a word, which takes a key that is taken and a model that is there. Rejects with what the endpoint said. */
export async function probeModel(model: LanguageModel, signal: AbortSignal): Promise<void> {
  const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(probeMs)]);
  try {
    await generateText({
      model,
      prompt: 'Answer with one word: ready',
      maxOutputTokens: 16,
      maxRetries: 0,
      abortSignal,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw saidBy(error);
  }
}

/** A request that itself is at fault says nothing of the next one. */
const ofTheRequest = [400, 413, 422];

export const isOutage = (error: unknown): boolean =>
  error instanceof EndpointError && !ofTheRequest.includes(error.status ?? 0);

const refusesKey = (status: number | undefined) => status === 401 || status === 403;

/** The endpoint's own words, without the request, which holds the task. */
function saidBy(error: unknown): Error {
  const last = RetryError.isInstance(error) ? error.lastError : error;
  if (APICallError.isInstance(last)) {
    const status = last.statusCode === undefined ? 'no reply' : `status ${last.statusCode}`;
    const said = `The model's endpoint failed (${status}): ${last.message}`.slice(0, 500);
    const cure = refusesKey(last.statusCode) ? '. Set AGORA_MODEL_API_KEY to a key that it takes' : '';
    return new EndpointError(`${said}${cure}`, last.statusCode);
  }
  return last instanceof Error ? last : new Error(String(last));
}

/** The endpoint did not answer with a reply. */
export class EndpointError extends Error {
  readonly status: number | undefined;

  constructor(message: string, status: number | undefined) {
    super(message);
    this.status = status;
  }
}
