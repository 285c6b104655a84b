import { webhookLimits } from '@agora-market/contract';
import type { Dispatcher } from 'undici';
import type { Clock } from '../platform/index.ts';
import { type Outbound, OutboundRefused, retryAfterMs } from '../platform/outbound/index.ts';
import type { Written } from './message.ts';
import { attemptMs, excerptMs } from './schedule.ts';

/** What became of one request. */
export interface Posted {
  ok: boolean;
  durationMs: number;
  statusCode: number | null;
  /** Why it failed, for the owner to read; null after a success. */
  error: string | null;
  excerpt: string | null;
  /** How long (ms) a reply of 429 or 503 asks to wait. */
  waitMs: number | null;
}

/**
 * Sends a message once; never rejects. Only a status of 200 to 299 is a success. Of the reply's body no more is read than
 * the excerpt.
 */
export async function post(outbound: Outbound, url: string, { headers, body }: Written, clock: Clock): Promise<Posted> {
  const startedMs = performance.now();
  const durationMs = () => Math.round(performance.now() - startedMs);
  try {
    const reply = await outbound.request(url, {
      method: 'POST',
      signal: AbortSignal.timeout(attemptMs),
      headers,
      body,
    });
    const { statusCode, headers: said } = reply;
    const excerpt = await excerptOf(reply.body);
    const isBusy = statusCode === 429 || statusCode === 503;
    const [asked] = [said['retry-after']].flat();
    const waitMs = isBusy ? retryAfterMs(asked, clock.now()) : null;
    const error = problemOf(statusCode);
    return { ok: isSuccess(statusCode), durationMs: durationMs(), statusCode, error, excerpt, waitMs };
  } catch (error) {
    const failed = { ok: false, statusCode: null, excerpt: null, waitMs: null };
    return { ...failed, durationMs: durationMs(), error: reasonOf(error) };
  }
}

const isSuccess = (status: number) => status >= 200 && status < 300;

function problemOf(status: number): string | null {
  if (isSuccess(status)) return null;
  return status >= 300 && status < 400
    ? `The reply was a redirect (${status}), which is not followed.`
    : `The reply had status ${status}.`;
}

/** The beginning of a body as a column takes it. What comes late, or after it, is not waited for. */
async function excerptOf(reply: Dispatcher.ResponseData['body']): Promise<string> {
  const late = setTimeout(() => reply.destroy(), excerptMs);
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    // Leaving the loop closes the connection, unless the body has ended.
    for await (const part of reply as AsyncIterable<Buffer>) {
      parts.push(part.subarray(0, webhookLimits.excerptBytes - bytes));
      bytes += part.length;
      if (bytes >= webhookLimits.excerptBytes) break;
    }
  } catch {
    // The status has decided already.
  } finally {
    clearTimeout(late);
  }
  return Buffer.concat(parts).toString('utf8').replaceAll('\0', '');
}

const timeouts = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Says no more of a network than a code, for a user chose the address. */
function reasonOf(error: unknown): string {
  const { name, code = '' } = error as { name?: string; code?: string };
  if (error instanceof OutboundRefused) return 'The address is not public.';
  if (name === 'TimeoutError' || timeouts.has(code)) return `There was no reply within ${attemptMs / 1000} seconds.`;
  return `The endpoint could not be reached (${/^\w{1,60}$/.test(code) ? code : 'no connection'}).`;
}
