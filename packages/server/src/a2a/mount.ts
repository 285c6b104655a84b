import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ensure, type Logger } from '../platform/index.ts';
import { createExchanges, noteRefusal, programGate, refuseBatch } from '../programs/index.ts';
import { type A2aDeps, cardPath, placeOf } from './place.ts';

/**
 * Mounts A2A at `/a2a` for the platform and at `/a2a/agents/:agentId` for each agent, by JSON-RPC and HTTP+JSON. Its
 * operations call the API in this process with the credentials of the request, as the tools at `/mcp` do.
 */
export function mountA2a(app: FastifyInstance, deps: A2aDeps): void {
  const passGate = programGate(deps, 'a2a');
  const open = createExchanges(app);
  for (const url of ['/a2a', '/a2a/*']) {
    app.route({
      method: ['GET', 'POST', 'DELETE'],
      url,
      async onRequest(request, reply) {
        await passGate(request, reply);
        const { authorization, 'x-api-key': agentKey } = request.headers;
        const isPublic = placeOf(request).path === cardPath;
        if (!isPublic) void reply.header('cache-control', 'no-store');
        ensure(isPublic || authorization !== undefined || agentKey !== undefined, 'MISSING_CREDENTIALS');
      },
      preHandler: refuseBatch,
      errorHandler: (error, request, reply) => refuse(error, request, reply, deps.log),
      async handler(request, reply) {
        // Loaded with the first request, for many servers never get one.
        const { answer } = await import('./answer.ts');
        const exchange = new AbortController();
        open.set(exchange, null);
        const end = () => {
          open.delete(exchange);
          exchange.abort();
        };
        reply.raw.once('close', end);
        if (reply.raw.destroyed) end();
        return answer({ ...deps, app }, request, reply, placeOf(request), exchange.signal);
      },
    });
  }
}

/** A refusal before there is a message to answer, in the shape of the transport and with the catalogue's code. */
async function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): Promise<void> {
  const refusal = noteRefusal(error, reply, log);
  const { bodyOfRefusal } = await import('./answer.ts');
  void reply.send(bodyOfRefusal(refusal, placeOf(request)));
}
