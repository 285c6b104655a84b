import { onAbort } from './abort.ts';
import { AgoraError, ConnectionError } from './errors.ts';
import type { Http, RequestSpec } from './http.ts';
import type { RequestOptions } from './types.ts';

/**
 * Yields a long text reply in pieces as they arrive, not line by line. Leaving the loop or the signal closes the
 * connection. ConnectionError if the reply breaks off, so that nobody takes half of it for all.
 */
export async function* textChunks(
  http: Http,
  spec: RequestSpec,
  options: RequestOptions = {},
  type: 'text/csv' | 'application/x-ndjson' = 'text/csv',
): AsyncGenerator<string> {
  const response = await http.open({ ...spec, headers: { accept: type } }, options);
  if (!response.headers.get('content-type')?.startsWith(type) || !response.body) {
    await response.body?.cancel();
    throw new AgoraError({ status: response.status, code: 'MALFORMED_REPLY', message: `The reply is no ${type}.` });
  }
  const { signal } = options;
  const reader = response.body.getReader();
  const cancel = () => reader.cancel().catch(() => {});
  const forget = onAbort(signal, cancel);
  const decoder = new TextDecoder();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read().catch((cause) => {
        const message = `${spec.method} ${spec.path} broke off.`;
        throw new ConnectionError({ status: null, code: 'CONNECTION_ERROR', message, cause });
      });
      signal?.throwIfAborted();
      const text = decoder.decode(value, { stream: !done });
      if (text !== '') yield text;
      if (done) return;
    }
  } finally {
    forget();
    await cancel();
  }
}
