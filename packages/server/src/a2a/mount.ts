import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { programGate } from '../mcp/index.ts';
import { toApiError } from '../platform/http/index.ts';
import { ApiError, ensure, type Logger } from '../platform/index.ts';
import { type A2aDeps, cardPath, placeOf } from './place.ts';

/**
 * Mounts A2A at `/a2a` for the platform and at `/a2a/agents/:agentId` for each agent, by JSON-RPC and HTTP+JSON. Its
 * operations call the API in this process with the credentials of the request, as the tools at `/mcp` do.
 */
export function mountA2a(app: FastifyInstance, deps: A2aDeps): void {
  const passGate = programGate(deps, 'a2a');
  const open = new Set<AbortController>();
  app.addHook('preClose', async () => {
    for (const exchange of open) exchange.abort(new Error('The service stops. Call again.'));
  });
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
      errorHandler: (error, request, reply) => refuse(error, request, reply, deps.log),
      async handler(request, reply) {
        if (Array.isArray(request.body)) {
          throw new ApiError('VALIDATION_ERROR', 'Send one message in a request; batches are not served.');
        }
        // Loaded with the first request, for many servers never get one.
        const { answer } = await import('./answer.ts');
        const exchange = new AbortController();
        open.add(exchange);
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
  const refusal = toApiError(error);
  if (refusal.status >= 500) log.error({ err: refusal.cause ?? refusal, correlationId: request.id }, refusal.code);
  // RFC 6750, 3.1. Without it clients do not see that the token is at fault.
  if (refusal.status === 401) void reply.header('www-authenticate', 'Bearer realm="agora", error="invalid_token"');
  const { bodyOfRefusal } = await import('./answer.ts');
  void reply.code(refusal.status).send(bodyOfRefusal(refusal, placeOf(request)));
}
