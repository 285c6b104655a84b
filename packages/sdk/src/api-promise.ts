/** What came with a reply besides its body. */
export interface ResponseInfo {
  status: number;
  headers: Headers;
  /** Links the call to the server's log and to the events that it caused. */
  correlationId: string | null;
  /** The caller's rate limit after this call: requests per window, and requests left. Null if the server sent none. */
  rateLimit: { limit: number | null; remaining: number | null };
  /** Attempts made; 1 means no retry. */
  attempts: number;
}

export interface WithResponse<T> {
  data: T;
  response: ResponseInfo;
}

/** A promise of the reply's body. `withResponse()` gives headers as well. */
export type ApiPromise<T> = Promise<T> & {
  /** Resolves to `{ data, response }`: the body, and its status, headers, correlation id and rate limit. */
  withResponse(): Promise<WithResponse<T>>;
};

/** Wraps one running call. */
export function apiPromise<T>(result: Promise<WithResponse<T>>): ApiPromise<T> {
  const body = result.then((full) => full.data);
  const withResponse = () => {
    // The caller handles a failure of the full reply; without this the plain promise would be reported as unhandled.
    body.catch(() => {});
    return result.then((full) => full);
  };
  return Object.assign(body, { withResponse });
}

function numberOrNull(text: string | null): number | null {
  return text === null || text.trim() === '' || Number.isNaN(Number(text)) ? null : Number(text);
}

/** Reads the headers that every reply of the service has. */
export function responseInfo(response: Response, attempts: number): ResponseInfo {
  const { status, headers } = response;
  return {
    status,
    headers,
    correlationId: headers.get('x-correlation-id'),
    rateLimit: {
      limit: numberOrNull(headers.get('x-ratelimit-limit')),
      remaining: numberOrNull(headers.get('x-ratelimit-remaining')),
    },
    attempts,
  };
}
