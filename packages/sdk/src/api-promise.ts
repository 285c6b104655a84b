/** What came with a reply besides its body. */
export interface ResponseInfo {
  status: number;
  headers: Headers;
  /** Links the call to the server's log and to the events it wrote. */
  correlationId: string | null;
  /** The caller's rate limit after this call: requests in the window, and those left. Null where the server does not say. */
  rateLimit: { limit: number | null; remaining: number | null };
  /** Attempts made, 1 without a retry. */
  attempts: number;
}

export interface WithResponse<T> {
  data: T;
  response: ResponseInfo;
}

/** A promise of the reply's body, which can also be asked for what came with it. */
export type ApiPromise<T> = Promise<T> & {
  /** `{ data, response }`: the body with status, headers, correlation id and rate limit. */
  withResponse(): Promise<WithResponse<T>>;
};

/** Wraps one running call. */
export function apiPromise<T>(result: Promise<WithResponse<T>>): ApiPromise<T> {
  const body = result.then((full) => full.data);
  const withResponse = () => {
    // Who asks for the full reply handles its failure there; the plain promise must not be reported as unhandled.
    body.catch(() => {});
    return result.then((full) => full);
  };
  return Object.assign(body, { withResponse });
}

function numberOrNull(text: string | null): number | null {
  return text === null || text.trim() === '' || Number.isNaN(Number(text)) ? null : Number(text);
}

/** Reads the headers every reply of the service carries. */
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
