import { z } from 'zod';
import type { Clock } from '../../platform/index.ts';
import { retryAfterMs } from '../../platform/outbound/index.ts';
import type { Brief } from './brief.ts';

/** An OpenAI-compatible endpoint, as the operator has set it up. */
export interface Endpoint {
  baseUrl: string;
  apiKey: string | undefined;
  model: string;
}

export interface Tokens {
  input: number;
  output: number;
}

export type Answer =
  | { status: 'judged'; score: number; reasons: string; tokens: Tokens | null }
  /** It answered, and the answer is no opinion. */
  | { status: 'refused' | 'malformed'; why: string; tokens: Tokens | null }
  /** It could not be had. */
  | {
      status: 'unreachable' | 'timed_out' | 'refused';
      why: string;
      /** Another call may help. */
      again: boolean;
      waitMs: number | null;
      /** The endpoint works but refuses this request, for example by its filter. */
      isOfRequest: boolean;
    };

/** Room for a model that thinks before it answers. */
export const maxAnswerTokens = 4000;
const maxAnswerBytes = 1024 ** 2;

/**
 * The requested schema has no bounds, because the grammars of some servers do not accept them. The bounds are checked
 * here.
 */
const wire = {
  type: 'object' as const,
  properties: { reasons: { type: 'string' as const }, score: { type: 'integer' as const } },
  required: ['reasons', 'score'],
  additionalProperties: false,
};
const opinion = z.strictObject({ reasons: z.string().trim().min(1), score: z.int().min(0).max(100) });

class AnswerTooLarge extends Error {}

/**
 * Fetch for the judge alone. The address is the operator's own setting, so private addresses are allowed and the guard
 * for outbound calls does not apply. A model in the same network is the ordinary case. Redirects are not followed, so
 * that key and text go nowhere else, and no more than a bounded answer is read.
 */
function boundedFetch(keep: (body: string) => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) throw new AnswerTooLarge();
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks).toString('utf8');
    keep(body);
    const headers = { 'content-type': response.headers.get('content-type') ?? 'application/json' };
    // No body goes with these, and none is wanted of a redirect.
    const status = [101, 204, 205, 304].includes(response.status) ? 502 : response.status;
    const wait = response.headers.get('retry-after');
    return new Response(body, { status, headers: wait === null ? headers : { ...headers, 'retry-after': wait } });
  };
}

const count = (value: number | undefined) =>
  value !== undefined && Number.isFinite(value) && value >= 0 ? Math.min(Math.round(value), 1e9) : null;

function tokensOf(usage: { inputTokens?: number | undefined; outputTokens?: number | undefined } | undefined) {
  const input = count(usage?.inputTokens);
  const output = count(usage?.outputTokens);
  return input === null || output === null ? null : { input, output };
}

/** OpenAI's own field for it. */
function refusalIn(body: string): boolean {
  try {
    const parsed = JSON.parse(body) as { choices?: Array<{ message?: { refusal?: unknown } }> };
    return typeof parsed.choices?.[0]?.message?.refusal === 'string';
  } catch {
    return false;
  }
}

interface Call {
  endpoint: Endpoint;
  brief: Brief;
  timeoutMs: number;
  clock: Clock;
  /** Ends the call when the server stops. */
  stopping: AbortSignal;
}

/** Asks once. Rejects only when the server stops. The endpoint's own error text is never passed on. */
export async function ask({ endpoint, brief, timeoutMs, clock, stopping }: Call): Promise<Answer> {
  // Loaded with the first question: a server without a judge does not pay for it.
  const [ai, { createOpenAICompatible }] = await Promise.all([import('ai'), import('@ai-sdk/openai-compatible')]);
  let body = '';
  const provider = createOpenAICompatible({
    name: 'judge',
    baseURL: endpoint.baseUrl.replace(/\/+$/, ''),
    ...(endpoint.apiKey !== undefined && { apiKey: endpoint.apiKey }),
    supportsStructuredOutputs: true,
    fetch: boundedFetch((text) => {
      body = text;
    }),
  });
  const timeout = new AbortController();
  const cancel = clock.after(timeoutMs, () => timeout.abort());
  const schema = ai.jsonSchema<z.output<typeof opinion>>(wire, {
    validate(value) {
      const { success, data, error } = opinion.safeParse(value);
      return success ? { success, value: data } : { success, error };
    },
  });
  try {
    const result = await ai.generateText({
      model: provider(endpoint.model),
      system: brief.system,
      prompt: brief.user,
      temperature: 0,
      maxOutputTokens: maxAnswerTokens,
      output: ai.Output.object({ schema, name: 'verdict' }),
      maxRetries: 0,
      abortSignal: AbortSignal.any([timeout.signal, stopping]),
    });
    const tokens = tokensOf(result.usage);
    if (result.finishReason === 'content-filter') return declined(tokens);
    // Reading it throws where there is none.
    return { status: 'judged', ...result.output, tokens };
  } catch (error) {
    if (stopping.aborted) throw error;
    if (timeout.signal.aborted)
      return { status: 'timed_out', why: 'it did not answer in time', again: false, waitMs: null, isOfRequest: false };
    return failure(ai, error, body, clock.now());
  } finally {
    cancel();
  }
}

const declined = (tokens: Tokens | null): Answer => {
  return { status: 'refused', why: 'the model declined to judge it', tokens };
};

function failure(ai: typeof import('ai'), error: unknown, body: string, now: Date): Answer {
  if (ai.NoObjectGeneratedError.isInstance(error)) {
    const tokens = tokensOf(error.usage);
    if (error.finishReason === 'content-filter' || refusalIn(body)) return declined(tokens);
    return { status: 'malformed', why: 'its answer is no verdict', tokens };
  }
  if (error instanceof AnswerTooLarge) return { status: 'malformed', why: 'its answer is too large', tokens: null };
  if (ai.APICallError.isInstance(error)) {
    const code = error.statusCode;
    if (code === undefined) return unreachable('it could not be connected to', null);
    if (code === 429) return unreachable('it is overloaded (HTTP 429)', retryAfterMs(waitIn(error), now));
    if (code >= 500) return unreachable(`it failed (HTTP ${code})`, retryAfterMs(waitIn(error), now));
    if (code >= 300) {
      const why = `it refused the request (HTTP ${code})`;
      return { status: 'refused', why, again: false, waitMs: null, isOfRequest: ofRequest.has(code) };
    }
  }
  // The connection broke in the middle of an answer.
  if (body === '' && !ai.NoOutputGeneratedError.isInstance(error)) return unreachable('the connection broke', null);
  if (refusalIn(body)) return declined(null);
  return { status: 'malformed', why: 'its answer is no verdict', tokens: null };
}

/** Status codes of an endpoint for a text that is too long, malformed for it, or stopped by a filter. */
const ofRequest = new Set([400, 413, 422, 451]);

const waitIn = ({ responseHeaders }: { responseHeaders?: Record<string, string> | undefined }) =>
  responseHeaders?.['retry-after'];

const unreachable = (why: string, waitMs: number | null): Answer => ({
  status: 'unreachable',
  why,
  again: true,
  waitMs,
  isOfRequest: false,
});
