import { onAbort } from './abort.ts';
import { type ApiPromise, apiPromise, type ResponseInfo, responseInfo, type WithResponse } from './api-promise.ts';
import { AgoraError, ConnectionError, errorOfReply, TimeoutError } from './errors.ts';
import { type PagePromise, pagePromise, type RawPage } from './page.ts';
import { pauseBeforeRetry, sleep } from './retry.ts';
import type { Credential, RequestOptions } from './types.ts';

/** Sent as User-Agent, so that an operator sees which client calls. A test compares it with package.json. */
export const sdkVersion = '0.1.0';

/** One call of a resource method. */
export interface RequestSpec {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`, with its parameters filled in. */
  path: string;
  /** The path is not below `/api/v1`. */
  root?: true;
  /** `party` and `anyone` send the owner's credential if there is one, else the agent's. */
  auth: 'public' | 'anyone' | 'owner' | 'agent' | 'party' | 'trust' | 'operator';
  query?: object;
  body?: unknown;
  /** A body of bytes, in the place of `body`. */
  bytes?: Uint8Array;
  headers?: Record<string, string>;
  /** Milliseconds that this operation may take by design, in addition to the client's time limit. */
  extraTimeMs?: number;
}

export interface HttpSettings {
  baseUrl: string;
  credentials: Partial<Record<Credential, string>>;
  retryForMs: number;
  maxRetries: number;
  longestWaitMs: number;
  timeoutMs: number;
  fetch: typeof fetch;
  /** For replies that are read to their end within the time limit. */
  patientFetch: typeof fetch;
  idempotencyKeys: boolean;
}

type Reader<T> = (response: Response) => Promise<T>;

const credentialHeader: Record<Credential, (secret: string) => [string, string]> = {
  owner: (token) => ['authorization', `Bearer ${token}`],
  agent: (key) => ['x-api-key', key],
  trust: (key) => ['x-trust-api-key', key],
  operator: (token) => ['authorization', `Bearer ${token}`],
};

/** Sends calls. All credentials, idempotency keys, time limits, retries and errors are handled here. */
export class Http {
  readonly #settings: HttpSettings;
  readonly #base: string;

  constructor(settings: HttpSettings) {
    this.#settings = settings;
    this.#base = new URL(settings.baseUrl).href.replace(/\/+$/, '');
  }

  /** Whether the client has this credential. */
  has(credential: Credential): boolean {
    return this.#settings.credentials[credential] !== undefined;
  }

  /** A call with a JSON reply, or without one (204). */
  request<T>(spec: RequestSpec, options: RequestOptions = {}): ApiPromise<T> {
    return apiPromise(this.#run<T>(spec, options, readJson<T>));
  }

  /** A call with a reply of text. */
  text(spec: RequestSpec, options: RequestOptions = {}): ApiPromise<string> {
    return apiPromise(this.#run(spec, options, (response) => response.text()));
  }

  /** A collection call. */
  list<T>(spec: RequestSpec, options: RequestOptions = {}): PagePromise<T> {
    return pagePromise((cursor) =>
      this.request<RawPage<T>>(
        { ...spec, query: cursor === undefined ? spec.query : { ...spec.query, cursor } },
        options,
      ),
    );
  }

  /** Opens a reply and leaves its body to the caller. The time limit covers only the headers. */
  async open(spec: RequestSpec, options: RequestOptions = {}): Promise<Response> {
    return (await this.#run(spec, options, async (response) => response, this.#settings.fetch)).data;
  }

  async #run<T>(
    spec: RequestSpec,
    options: RequestOptions,
    read: Reader<T>,
    send = this.#settings.patientFetch,
  ): Promise<WithResponse<T>> {
    const headers = this.#headers(spec, options);
    const { retryForMs = this.#settings.retryForMs, maxRetries = this.#settings.maxRetries } = options;
    const patience = { retryForMs, maxRetries, longestWaitMs: this.#settings.longestWaitMs };
    const repeatable = spec.method === 'GET' || headers.has('idempotency-key');
    const startedMs = performance.now();
    for (let attempt = 0; ; attempt++) {
      try {
        const { value, response } = await this.#attempt(spec, options, headers, read, send);
        const info: ResponseInfo = responseInfo(response, attempt + 1);
        return { data: value, response: info };
      } catch (error) {
        const elapsedMs = performance.now() - startedMs;
        const pause = pauseBeforeRetry(error, { attempt, elapsedMs, repeatable }, patience);
        if (pause === null) throw error;
        await sleep(pause, options.signal);
      }
    }
  }

  async #attempt<T>(spec: RequestSpec, options: RequestOptions, headers: Headers, read: Reader<T>, send: typeof fetch) {
    const { signal } = options;
    signal?.throwIfAborted();
    const timeoutMs = options.timeoutMs ?? this.#settings.timeoutMs + (spec.extraTimeMs ?? 0);
    const controller = new AbortController();
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      controller.abort();
    }, timeoutMs);
    // Not AbortSignal.any: its listeners pile up on a signal that outlives many calls, for example a worker's.
    const forget = onAbort(signal, () => controller.abort());
    try {
      const response = await send(this.#url(spec), {
        method: spec.method,
        headers,
        body: (spec.bytes as RequestInit['body']) ?? (spec.body === undefined ? null : JSON.stringify(spec.body)),
        signal: controller.signal,
        // Followed blindly, a redirect would carry X-API-Key to another host.
        redirect: 'manual',
      });
      if (!response.ok) throw errorOfReply(response.status, response.headers, await response.text());
      return { response, value: await read(response) };
    } catch (error) {
      if (error instanceof AgoraError) throw error;
      if (signal?.aborted) throw signal.reason;
      const call = `${spec.method} ${spec.path}`;
      if (timedOut) {
        const message = `${call} gave no complete reply within ${timeoutMs} ms.`;
        throw new TimeoutError({ status: null, code: 'TIMEOUT', message, cause: error });
      }
      const message = `${call} got no complete reply: ${reasonOf(error)}.`;
      throw new ConnectionError({ status: null, code: 'CONNECTION_ERROR', message, cause: error });
    } finally {
      clearTimeout(timer);
      forget();
    }
  }

  #headers(spec: RequestSpec, options: RequestOptions): Headers {
    const headers = new Headers({
      accept: 'application/json',
      'user-agent': `agora-market-sdk/${sdkVersion}`,
      ...spec.headers,
    });
    const credential = this.#credential(spec, options);
    const secret = credential && this.#settings.credentials[credential];
    if (credential && secret) headers.set(...credentialHeader[credential](secret));
    if (spec.bytes !== undefined) headers.set('content-type', 'application/octet-stream');
    if (spec.body !== undefined) headers.set('content-type', 'application/json');
    if (spec.method !== 'GET') {
      const made = this.#settings.idempotencyKeys ? crypto.randomUUID() : undefined;
      const key = options.idempotencyKey ?? made;
      if (key !== undefined) headers.set('idempotency-key', key);
    }
    return headers;
  }

  #credential(spec: RequestSpec, options: RequestOptions): Credential | null {
    if (options.as) return options.as;
    if (spec.auth === 'public') return null;
    if (spec.auth !== 'party' && spec.auth !== 'anyone') return spec.auth;
    return this.#settings.credentials.owner ? 'owner' : 'agent';
  }

  #url(spec: RequestSpec): string {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(spec.query ?? {})) {
      if (value !== undefined && value !== null) search.append(name, String(value));
    }
    const prefix = spec.root ? '' : '/api/v1';
    return this.#base + prefix + spec.path + (search.size > 0 ? `?${search}` : '');
  }
}

/** The innermost cause: fetch puts the real error there. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (response.status === 204) return undefined as T;
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new AgoraError({
      status: response.status,
      code: 'MALFORMED_REPLY',
      message: 'The reply is not JSON; is baseUrl the address of an Agora server?',
      correlationId: response.headers.get('x-correlation-id'),
      cause,
    });
  }
}
