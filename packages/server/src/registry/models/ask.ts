import { type ModelFailure, modelVerification } from '@agora-market/contract';
import { z } from 'zod';
import { OutboundRefused, openOutbound, urlProblem } from '../../platform/outbound/index.ts';

/** What the endpoint replied, or why there is nothing to read. */
export type Reply =
  | { model: string; answer: string }
  | { reason: ModelFailure; details?: Record<string, string | number> };

interface Request {
  endpoint: string;
  apiKey: string | undefined;
  body: unknown;
  allowLoopback: boolean;
  /** Milliseconds for all of it. */
  timeoutMs: number;
}

const completion = z.object({
  model: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
});

/** Asks an OpenAI-compatible endpoint once. Its address is checked when the connection is made; redirects are not followed. */
export async function askEndpoint({ endpoint, apiKey, body, allowLoopback, timeoutMs }: Request): Promise<Reply> {
  const problem = urlProblem(endpoint, { allowLoopback });
  if (problem !== null)
    return { reason: problem === 'must be a public address' ? 'private_address' : 'invalid_endpoint' };
  const outbound = openOutbound({
    allowLoopback,
    maxReplyBytes: modelVerification.maxReplyBytes,
    connectTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
  });
  try {
    const { statusCode, body: reply } = await outbound.request(`${endpoint.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(body),
    });
    if (statusCode >= 300 && statusCode < 400) return { reason: 'redirected' };
    if (statusCode !== 200) return { reason: 'http_error', details: { status: statusCode } };
    return readReply(await reply.text());
  } catch (error) {
    return { reason: reasonOf(error) };
  } finally {
    await outbound.close();
  }
}

function readReply(text: string): Reply {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { reason: 'malformed' };
  }
  const { success, data } = completion.safeParse(parsed);
  const first = data?.choices[0];
  return success && first ? { model: data.model, answer: first.message.content } : { reason: 'malformed' };
}

const timeouts = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

function reasonOf(error: unknown): ModelFailure {
  const { name, code = '' } = error as { name?: string; code?: string };
  if (error instanceof OutboundRefused) return 'private_address';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'too_large';
  return name === 'TimeoutError' || timeouts.has(code) ? 'timed_out' : 'unreachable';
}
