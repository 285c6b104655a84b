import type { FastifyReply, FastifyRequest } from 'fastify';
import { toApiError } from '../platform/http/index.ts';
import { type ApiError, ensure, type Logger } from '../platform/index.ts';

/** A megabyte of messages would be thousands of calls in one request. */
export async function refuseBatch({ body }: FastifyRequest): Promise<void> {
  ensure(!Array.isArray(body), 'VALIDATION_ERROR', 'Send one message in a request; batches are not served.');
}

/** Logs a fault of the server, and gives the reply of a refusal its status; its body has the shape of the protocol. */
export function noteRefusal(error: unknown, reply: FastifyReply, log: Logger): ApiError {
  const refusal = toApiError(error);
  const { status, code } = refusal;
  if (status >= 500) log.error({ err: refusal.cause ?? refusal, correlationId: reply.request.id }, code);
  // RFC 6750, 3.1. Without it clients do not see that the token is at fault.
  if (status === 401) void reply.header('www-authenticate', 'Bearer realm="agora", error="invalid_token"');
  void reply.code(status);
  return refusal;
}
