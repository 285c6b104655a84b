import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { currentSpan, failureOf, type OpenSpan } from './tracing.ts';

/** What undici tells of a request; Node's own `fetch` tells the same. */
interface Message {
  request: { origin: string | URL; method: string };
  response?: { statusCode: number };
  error?: unknown;
}

/**
 * Shows calls to other services within the span that makes them: webhooks, the judge, GitHub, other servers of ours.
 * Only the host is told, because an address may carry a secret. Returns a function that ends it.
 */
export function watchOutbound(): () => void {
  const open = new WeakMap<object, { span: OpenSpan; status?: number }>();
  const end = (message: unknown, failure?: string) => {
    const { request } = message as Message;
    const call = open.get(request);
    if (!call) return;
    open.delete(request);
    call.span.end(call.status === undefined ? {} : { 'http.response.status_code': call.status }, failure);
  };
  const listeners: Record<string, (message: unknown) => void> = {
    'undici:request:create'(message) {
      const { request } = message as Message;
      const parent = currentSpan();
      if (!parent) return;
      const { method } = request;
      const attributes = { 'http.request.method': method, 'server.address': new URL(request.origin).hostname };
      open.set(request, { span: parent.child(method, attributes, 'client') });
    },
    'undici:request:headers'(message) {
      const { request, response } = message as Message;
      const call = open.get(request);
      if (call && response) call.status = response.statusCode;
    },
    'undici:request:trailers': (message) => end(message),
    'undici:request:error': (message) => end(message, failureOf((message as Message).error)),
  };
  for (const [name, listener] of Object.entries(listeners)) subscribe(name, listener);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) unsubscribe(name, listener);
  };
}
