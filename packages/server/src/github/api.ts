import type { ErrorCode } from '@agora/contract';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { ApiError, type Config, ensure, packageVersion } from '../platform/index.ts';
import { openOutbound } from '../platform/outbound/index.ts';

export interface AskOptions {
  method?: 'GET' | 'POST';
  /** Sent as JSON. */
  body?: unknown;
  /** Ends the call. */
  signal?: AbortSignal;
}

/** GitHub answered with an error. */
export class GitHubRefusal extends ApiError {
  readonly answered: number;
  /** GitHub's words: one line of printable text, or empty. */
  readonly said: string;
  /** The same request may succeed later. */
  readonly isPassing: boolean;

  constructor(code: ErrorCode, message: string | undefined, answered: number, said: string, isPassing: boolean) {
    super(code, message);
    this.answered = answered;
    this.said = said;
    this.isPassing = isPassing;
  }
}

export interface GitHubApi {
  /** Sends a request with a token; the reply as the schema has it. GITHUB_TOKEN_REFUSED, GITHUB_ERROR. */
  ask<T>(
    token: string,
    path: string,
    schema: z.ZodType<T>,
    options?: AskOptions,
  ): Promise<{ value: T; hasNext: boolean }>;
  /** The token for the code of an authorization. GITHUB_TOKEN_REFUSED, GITHUB_ERROR. */
  exchange(form: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

/** Longest time of one call, with its reply. */
const callMs = 15_000;
/** A hundred repositories take about 600 KB. */
const maxReplyBytes = 8 * 1024 * 1024;

/** Either is an answer with status 200. */
const granted = z.union([
  z.object({ access_token: z.string().regex(/^[\w-]{1,500}$/) }),
  z.object({ error: z.string() }),
]);

type Settings = Pick<Config, 'GITHUB_API_BASE' | 'GITHUB_BASE_URL' | 'OUTBOUND_ALLOW_LOOPBACK'>;

export function createGitHubApi(config: Settings): GitHubApi {
  const outbound = openOutbound({ allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK, maxReplyBytes });
  type Sent = Pick<Dispatcher.RequestOptions, 'method' | 'body' | 'headers'>;
  const send = (url: string, options: Sent, ended?: AbortSignal) =>
    reading(async () => {
      const late = AbortSignal.timeout(callMs);
      const signal = ended ? AbortSignal.any([ended, late]) : late;
      const { statusCode, headers, body } = await outbound.request(url, { ...options, signal });
      return { statusCode, headers, text: await body.text() };
    });
  return {
    async ask(token, path, schema, { method = 'GET', body, signal } = {}) {
      const headers = { ...common, accept: 'application/vnd.github+json', authorization: `Bearer ${token}` };
      const sent: Sent =
        body === undefined
          ? { method, headers }
          : { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const reply = await send(`${config.GITHUB_API_BASE}${path}`, sent, signal);
      refuse(reply);
      return { value: parsed(schema, reply.text), hasNext: /rel="next"/.test(String(reply.headers.link ?? '')) };
    },
    async exchange(form) {
      const reply = await send(`${config.GITHUB_BASE_URL}/login/oauth/access_token`, {
        method: 'POST',
        headers: { ...common, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      });
      refuse(reply);
      const answer = parsed(granted, reply.text);
      ensure('access_token' in answer, 'GITHUB_TOKEN_REFUSED', 'GitHub refused the authorization. Begin again.');
      return answer.access_token;
    },
    close: () => outbound.close(),
  };
}

const common = { 'user-agent': `agora/${packageVersion}`, 'x-github-api-version': '2022-11-28' };

/** A failed call says nothing of the network, and has no part of the request. */
async function reading<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    throw new ApiError('GITHUB_ERROR', 'GitHub could not be reached. Try again.', {}, { cause: error });
  }
}

interface Reply {
  statusCode: number;
  headers: Record<string, unknown>;
  text: string;
}

function refuse({ statusCode, headers, text }: Reply): void {
  if (statusCode === 200 || statusCode === 201) return;
  const refusal = (code: ErrorCode, message?: string, isPassing = false) =>
    new GitHubRefusal(code, message, statusCode, wordsOf(text), isPassing);
  if (statusCode === 401) throw refusal('GITHUB_TOKEN_REFUSED');
  // GitHub's second limit, on what is made in a minute, says when to come back.
  const isLimited =
    statusCode === 429 ||
    (statusCode === 403 && (headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined));
  if (isLimited)
    throw refusal('GITHUB_ERROR', 'GitHub allows the account no more requests for now. Try again later.', true);
  if (statusCode === 403) throw refusal('GITHUB_TOKEN_REFUSED', 'The token at GitHub has too few permissions.');
  throw refusal('GITHUB_ERROR', `GitHub answered with status ${statusCode}. Try again.`, statusCode >= 500);
}

const errorReply = z.object({
  message: z.string(),
  errors: z.array(z.union([z.string(), z.looseObject({ message: z.string().optional() })])).optional(),
});

/** What GitHub says about a refusal, shortened, without control characters and characters that turn text around. */
function wordsOf(text: string): string {
  try {
    const { message, errors = [] } = errorReply.parse(JSON.parse(text));
    const all = [message, ...errors.map((error) => (typeof error === 'string' ? error : error.message))];
    const words = all.filter(Boolean).join('; ');
    return words
      .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
      .slice(0, 300)
      .toWellFormed();
  } catch {
    return '';
  }
}

function parsed<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new ApiError('GITHUB_ERROR', 'GitHub answered with something else than expected.', {}, { cause: error });
  }
}
