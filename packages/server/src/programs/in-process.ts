import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type InjectOptions, inject } from 'light-my-request';

/** Statuses whose replies have no body (RFC 9110). */
const bodyless = [204, 304];

/**
 * A `fetch` that calls this server itself, with no socket between. Such a call is checked, limited, logged and made only
 * once like any other. It comes from the address of `request` and has its correlation id.
 */
export function inProcessFetch(app: FastifyInstance, { ip, id }: FastifyRequest): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(String(input));
    const { body, signal } = init;
    // Whoever answers sees the caller go, as by a socket: the library itself stops telling once it has the request's body.
    const dispatch: Parameters<typeof inject>[0] = (incoming, outgoing) => {
      signal?.addEventListener('abort', () => outgoing.destroy());
      app.routing(incoming, outgoing);
    };
    const answer = await inject(dispatch, {
      method: (init.method ?? 'GET') as NonNullable<InjectOptions['method']>,
      url: url.pathname + url.search,
      headers: { ...Object.fromEntries(new Headers(init.headers)), 'x-correlation-id': id },
      ...(typeof body === 'string' && { payload: body }),
      ...(signal && { signal }),
      remoteAddress: ip,
      payloadAsStream: true,
    });
    const stream = answer.stream();
    // A reader that goes away closes the response, as a socket would.
    stream.once('close', () => answer.raw.res.destroy());
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
    if (!bodyless.includes(answer.statusCode)) {
      return new Response(Readable.toWeb(stream) as ReadableStream, { status: answer.statusCode, headers });
    }
    stream.destroy();
    return new Response(null, { status: answer.statusCode, headers });
  };
}
