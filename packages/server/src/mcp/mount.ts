import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../platform/index.ts';
import {
  createExchanges,
  type GateDeps,
  inProcessFetch,
  noteRefusal,
  programGate,
  refuseBatch,
  secretsIn,
} from '../programs/index.ts';

type Deps = GateDeps & { log: Logger };

/** JSON-RPC 2.0, 5.1: what is no JSON, and a range for errors of the server. */
const rpcCodes = { parseError: -32_700, serverError: -32_000 } as const;

/**
 * Mounts the Model Context Protocol at `/mcp` (streamable HTTP). Its tools call the API in this process with the
 * credentials of the request. Only these count: a cookie would let pages of strangers act for an owner.
 */
export function mountMcp(app: FastifyInstance, deps: Deps): void {
  const open = createExchanges(app);
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    onRequest: programGate(deps, 'mcp'),
    // The protocol has none since 2025-06-18.
    preHandler: refuseBatch,
    errorHandler: (error, _request, reply) => refuse(error, reply, deps.log),
    async handler(request, reply) {
      const message = (request.body ?? {}) as Message;
      const session = request.headers['mcp-session-id'];
      if (message.method === 'initialize') void reply.header('mcp-session-id', randomUUID());
      // A client of an older version cancels a call with a request of its own.
      if (message.method === 'notifications/cancelled') {
        const call = callOf(session, message.params?.requestId);
        for (const [exchange, name] of open) if (call !== null && name === call) exchange.abort();
      }
      const exchange = new AbortController();
      open.set(exchange, callOf(session, message.id));
      try {
        await serve(app, request, reply, exchange.signal, deps.log);
      } finally {
        open.delete(exchange);
      }
      return reply;
    },
  });
}

interface Message {
  method?: unknown;
  id?: unknown;
  params?: { requestId?: unknown };
}

/** The name of a call that can be cancelled. The id of a session is a secret of its client; it serves for nothing else. */
const callOf = (session: unknown, id: unknown): string | null =>
  session === undefined || id === undefined ? null : JSON.stringify([session, id]);

/** Loaded with the first request, for many servers never get one. */
const protocol = async () => ({
  ...(await import('@agora-market/mcp')),
  ...(await import('@modelcontextprotocol/node')),
});

async function serve(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  const { mcpExchange, toNodeHandler, withArguments } = await protocol();
  const handler = mcpExchange({
    fetch: inProcessFetch(app, request),
    secrets: await secretsIn(request.headers),
    signal,
    onerror: (error) => log.debug({ err: error, correlationId: request.id }, 'mcp'),
  });
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value as string);
  await toNodeHandler(handler)(request.raw, reply.raw, withArguments(request.body));
}

/** A refusal before there is a message to answer, in the protocol's shape and with the catalogue's code. */
function refuse(error: unknown, reply: FastifyReply, log: Logger): void {
  const refusal = noteRefusal(error, reply, log);
  const code = refusal.status === 400 ? rpcCodes.parseError : rpcCodes.serverError;
  const { error: data } = refusal.body();
  const failure = { jsonrpc: '2.0', id: null, error: { code, message: `${refusal.code}: ${refusal.message}`, data } };
  void reply.send(failure);
}
