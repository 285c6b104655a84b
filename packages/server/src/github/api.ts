import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { ApiError, type Config, ensure, packageVersion } from '../platform/index.ts';
import { outboundAgent } from '../platform/outbound/index.ts';

export interface GitHubApi {
  /** Sends a request with a token; the reply as the schema has it. GITHUB_TOKEN_REFUSED, GITHUB_ERROR. */
  ask<T>(token: string, path: string, schema: z.ZodType<T>): Promise<{ value: T; hasNext: boolean }>;
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
  const dispatcher = outboundAgent({ allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK, maxReplyBytes });
  const send = (url: string, options: Pick<Dispatcher.RequestOptions, 'method' | 'body' | 'headers'>) =>
    reading(async () => {
      const signal = AbortSignal.timeout(callMs);
      const { statusCode, headers, body } = await request(url, { ...options, dispatcher, signal });
      return { statusCode, headers, text: await body.text() };
    });
  return {
    async ask(token, path, schema) {
      const reply = await send(`${config.GITHUB_API_BASE}${path}`, {
        method: 'GET',
        headers: { ...common, accept: 'application/vnd.github+json', authorization: `Bearer ${token}` },
      });
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
    close: () => dispatcher.destroy(),
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

function refuse({ statusCode, headers }: { statusCode: number; headers: Record<string, unknown> }): void {
  if (statusCode === 200) return;
  ensure(statusCode !== 401, 'GITHUB_TOKEN_REFUSED');
  const isLimited = statusCode === 429 || (statusCode === 403 && headers['x-ratelimit-remaining'] === '0');
  ensure(!isLimited, 'GITHUB_ERROR', 'GitHub allows the account no more requests for now. Try again later.');
  ensure(statusCode !== 403, 'GITHUB_TOKEN_REFUSED', 'The token at GitHub has too few permissions.');
  throw new ApiError('GITHUB_ERROR', `GitHub answered with status ${statusCode}. Try again.`);
}

function parsed<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new ApiError('GITHUB_ERROR', 'GitHub answered with something else than expected.', {}, { cause: error });
  }
}
