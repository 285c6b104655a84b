import { type ErrorCode, type ForgeKind, forgeNames } from '@agora-market/contract';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { ApiError, type Config, ensure, packageVersion } from '../platform/index.ts';
import { openOutbound } from '../platform/outbound/index.ts';
import { excessOf, jsonLimits } from './json.ts';

/** Requests to the APIs of forges, with their bounds and what their refusals mean. */

export interface AskOptions {
  method?: 'GET' | 'POST';
  /** Sent as JSON. */
  body?: unknown;
  /** The reply has files, or what people say. */
  isLong?: boolean;
  /** Ends the call. */
  signal?: AbortSignal;
}

/** A forge answered with an error. */
export class ForgeRefusal extends ApiError {
  readonly answered: number;
  /** The forge's words: one line of printable text, or empty. */
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

/** Where requests go, and what each of them says of its sender. */
export interface Line {
  forge: ForgeKind;
  base: string;
  headers: Record<string, string>;
}

export interface Answer<T> {
  value: T;
  hasNext: boolean;
  /** The number of the last page, where the forge says it. */
  lastPage: number | null;
}

export interface ForgeApi {
  /** Sends a request; the reply as the schema has it. GITHUB_TOKEN_REFUSED, GITHUB_ERROR. */
  ask<T>(line: Line, path: string, schema: z.ZodType<T>, options?: AskOptions): Promise<Answer<T>>;
  /** The token for the code of an authorization at GitHub. GITHUB_TOKEN_REFUSED, GITHUB_ERROR. */
  exchange(form: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

/** Longest time of one call, with its reply. */
const callMs = 15_000;
/** Either is an answer with status 200. */
const granted = z.union([
  z.object({ access_token: z.string().regex(/^[\w-]{1,500}$/) }),
  z.object({ error: z.string() }),
]);

type Settings = Pick<Config, 'GITHUB_BASE_URL' | 'OUTBOUND_ALLOW_LOOPBACK' | 'FORGE_TRUSTED_HOSTS'>;

export function createForgeApi(config: Settings): ForgeApi {
  const outbound = openOutbound({
    allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK,
    trustedHosts: config.FORGE_TRUSTED_HOSTS,
    maxReplyBytes: jsonLimits.longChars,
  });
  type Sent = Pick<Dispatcher.RequestOptions, 'method' | 'body' | 'headers'>;
  const send = (forge: ForgeKind, url: string, options: Sent, ended?: AbortSignal) =>
    reading(forge, async () => {
      const late = AbortSignal.timeout(callMs);
      const signal = ended ? AbortSignal.any([ended, late]) : late;
      const { statusCode, headers, body } = await outbound.request(url, { ...options, signal });
      return { statusCode, headers, text: await body.text() };
    });
  return {
    async ask({ forge, base, headers: theirs }, path, schema, { method = 'GET', body, isLong = false, signal } = {}) {
      const headers = { ...common, accept: 'application/json', ...theirs };
      const sent: Sent =
        body === undefined
          ? { method, headers }
          : { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const reply = await send(forge, `${base}${path}`, sent, signal);
      refuse(forge, reply, theirs.authorization?.split(' ')[1]);
      const value = parsed(forge, schema, reply.text, isLong ? jsonLimits.longChars : jsonLimits.chars);
      const links = String(reply.headers.link ?? '');
      const [, lastPage] = /[?&]page=(\d{1,6})(?:&[^>]*)?>; ?rel="last"/.exec(links) ?? [];
      return { value, hasNext: /rel="next"/.test(links), lastPage: lastPage === undefined ? null : Number(lastPage) };
    },
    async exchange(form) {
      const reply = await send('github', `${config.GITHUB_BASE_URL}/login/oauth/access_token`, {
        method: 'POST',
        headers: { ...common, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      });
      refuse('github', reply);
      const answer = parsed('github', granted, reply.text);
      ensure('access_token' in answer, 'GITHUB_TOKEN_REFUSED', 'GitHub refused the authorization. Begin again.');
      return answer.access_token;
    },
    close: () => outbound.close(),
  };
}

const common = { 'user-agent': `agora/${packageVersion}` };

/** A failed call says nothing of the network, and has no part of the request. */
async function reading<R>(forge: ForgeKind, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    const isTooLong = error instanceof Error && 'code' in error && error.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
    const message = isTooLong
      ? `answered with more than ${jsonLimits.longChars} bytes, too many to read.`
      : 'could not be reached. Try again.';
    throw new ApiError('GITHUB_ERROR', `${forgeNames[forge]} ${message}`, {}, { cause: error });
  }
}

interface Reply {
  statusCode: number;
  headers: Record<string, unknown>;
  text: string;
}

/** `token`: what the request was sent with, which no forge's words give away. */
function refuse(forge: ForgeKind, { statusCode, headers, text }: Reply, token?: string): void {
  if (statusCode === 200 || statusCode === 201) return;
  const name = forgeNames[forge];
  const refusal = (code: ErrorCode, message?: string, isPassing = false) =>
    new ForgeRefusal(code, message, statusCode, wordsOf(text, token), isPassing);
  if (statusCode === 401) throw refusal('GITHUB_TOKEN_REFUSED', `${name} refused the token. Connect again.`);
  // GitHub's second limit, on what is made in a minute, says when to come back.
  const isLimited =
    statusCode === 429 ||
    (statusCode === 403 && (headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined));
  if (isLimited)
    throw refusal('GITHUB_ERROR', `${name} allows the account no more requests for now. Try again later.`, true);
  if (statusCode === 403) throw refusal('GITHUB_TOKEN_REFUSED', `The token at ${name} has too few permissions.`);
  throw refusal('GITHUB_ERROR', `${name} answered with status ${statusCode}. Try again.`, statusCode >= 500);
}

/** GitLab says `message` as a text, as a list, or by field. */
const errorReply = z.object({
  message: z.unknown().optional(),
  error: z.string().optional(),
  errors: z.unknown().optional(),
});
const oneOfErrors = z.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)]);

/** What a forge says about a refusal, shortened, without control characters and characters that turn text around. */
function wordsOf(text: string, token: string | undefined): string {
  if (excessOf(text) !== null) return '';
  try {
    const { message, error, errors } = errorReply.parse(JSON.parse(text));
    const said = typeof message === 'string' || message === undefined ? message : JSON.stringify(message);
    const first = Array.isArray(errors) ? errors.slice(0, 10) : [];
    const all = [said, error, ...first.map((each) => oneOfErrors.safeParse(each).data)];
    return printable(all.filter(Boolean).join('; '), token);
  } catch {
    return '';
  }
}

export const printable = (words: string, token?: string): string =>
  (token ? words.replaceAll(token, '[the token removed]') : words)
    .slice(0, 1_000)
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .slice(0, 300)
    .toWellFormed();

function parsed<T>(forge: ForgeKind, schema: z.ZodType<T>, text: string, mostChars: number = jsonLimits.chars): T {
  const excess = excessOf(text, mostChars);
  ensure(excess === null, 'GITHUB_ERROR', `${forgeNames[forge]} answered with ${excess}, too many to read.`);
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    const message = `${forgeNames[forge]} answered with something else than expected.`;
    // Of thousands of faults one says enough.
    const cause = error instanceof z.ZodError ? error.issues[0] : error;
    throw new ApiError('GITHUB_ERROR', message, {}, { cause });
  }
}

/** Null where a forge has no such thing, or no more. */
export const nullWhereGone = <T>(asking: Promise<T>): Promise<T | null> =>
  asking.catch((error) => {
    if (error instanceof ForgeRefusal && [404, 410].includes(error.answered)) return null;
    throw error;
  });

/** Whether another try may succeed: the forge was away, failed, or takes no more for now. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ForgeRefusal ? error.isPassing : !(error instanceof ApiError) || error.code === 'GITHUB_ERROR';

/** How often a list is read on, a page of 100 at a time. */
const mostPages = 5;

export async function pagesOf<T>(ask: (page: number) => Promise<Pick<Answer<T[]>, 'value' | 'hasNext'>>): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; page <= mostPages; page++) {
    const { value, hasNext } = await ask(page);
    all.push(...value);
    if (!hasNext) break;
  }
  return all;
}
