import {
  type ErrorCode,
  errorBody,
  errors,
  errorsOf,
  fullPath,
  isConditional,
  type Operation,
  operations,
  retriable,
  successReplies,
} from '@agora-market/contract';

const rows = Object.values<Operation>(operations).map((row) => ({
  row,
  methods: [row.method, ...(row.alsoMethods ?? [])] as string[],
  pattern: new RegExp(`^${fullPath(row).replace(/:\w+/g, '[^/]{1,500}')}/?$`),
  // Longer parameters reach no route, and a literal path wins over a parameter: /agents/me is no agent's id.
  parameters: row.path.split(':').length - 1,
}));
rows.sort((a, b) => a.parameters - b.parameters);

/** The operation that answers a request; undefined if no route does, as for paths that cannot be decoded. */
export const operationAt = (method: string, path: string): Operation | undefined =>
  isEncoded(path) ? rows.find((each) => each.methods.includes(method) && each.pattern.test(path))?.row : undefined;

function isEncoded(path: string): boolean {
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
}

/** What every reply of the service must be, whatever was asked; each line says what one reply got wrong. */
export function faultsOf(method: string, path: string, { status, headers, text }: Reply): string[] {
  const faults: string[] = [];
  const [limit, left] = ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) => headers.get(name));
  // A limit that is turned off has neither.
  if ((limit === null) !== (left === null) || limit === '0') faults.push(`has ${left} left of a limit of ${limit}`);
  if (!headers.get('x-correlation-id')) faults.push('has no x-correlation-id');
  const operation = operationAt(method, path);
  const kept = headers.get('cache-control') ?? 'anything';
  const mayBeKept = operation === undefined || operation.auth === 'public' || isConditional(operation);
  if (!mayBeKept && !/\bno-store\b/.test(kept)) faults.push(`lets caches keep ${kept}`);
  if (status < 400) {
    const declared = operation && successReplies(operation).map((each) => each.status as number);
    if (declared && !declared.includes(status)) faults.push(`is not ${declared.join(' or ')}`);
  } else if (method !== 'HEAD') faults.push(...faultsOfError(operation, status, text));
  const says = retriable.some((code) => errors[code].status === status && text.includes(`"${code}"`));
  if (says !== /^[1-9]\d*$/.test(headers.get('retry-after') ?? ''))
    faults.push('has Retry-After where it should not, or lacks it');
  return faults.map((fault) => `${method} ${path.slice(0, 100)} → ${status} ${text.slice(0, 200)}: ${fault}`);
}

function faultsOfError(operation: Operation | undefined, status: number, text: string): string[] {
  const parsed = errorBody.strict().safeParse(jsonOf(text));
  if (!parsed.success) return ['is not in the shape of errors'];
  const code: ErrorCode = parsed.data.error.code;
  const faults: string[] = [];
  if (errors[code].status !== status) faults.push(`${code} belongs to ${errors[code].status}`);
  if (code === 'INTERNAL_ERROR') faults.push('is our own fault');
  const declared: ErrorCode[] = operation
    ? errorsOf(operation)
    : ['ROUTE_NOT_FOUND', 'RATE_LIMITED', 'ENDPOINT_SUNSET'];
  if (!declared.includes(code)) faults.push(`${operation?.id ?? 'an unknown route'} does not declare ${code}`);
  return faults;
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Looks at every reply that `fetch` brings, the SDK's included, until the returned function is called; it gives the
 * faults that were seen. Streams are judged by their headers alone.
 */
export function watchReplies(baseUrl: string): () => string[] {
  const original = globalThis.fetch;
  const faults: string[] = [];
  globalThis.fetch = async (input, init) => {
    const response = await original(input, init);
    const url = new URL(input instanceof Request ? input.url : input);
    if (!url.href.startsWith(baseUrl)) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    const text = isStream ? '' : await response.clone().text();
    faults.push(...faultsOf(init?.method ?? 'GET', url.pathname, { ...pick(response), text }));
    return response;
  };
  return () => {
    globalThis.fetch = original;
    return faults;
  };
}

const pick = ({ status, headers }: Response) => ({ status, headers });
