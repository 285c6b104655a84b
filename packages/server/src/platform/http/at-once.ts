import { isStreamed, type Operation } from '@agora-market/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';
import { createTally } from '../concurrency/index.ts';
import { limitedKey } from './rate-limit.ts';

/** Nobody knows when a request ends; a second keeps a client from trying again at once. */
const retryAfter = 1;

/**
 * Keeps any one caller from holding the whole server with requests that take long. Event streams are not counted here:
 * they cost little and have a limit of their own.
 */
export function requestsAtOnce(limit: number) {
  const inHand = createTally();
  return (operation: Operation, request: FastifyRequest, reply: FastifyReply): void => {
    if (limit === 0 || isStreamed(operation)) return;
    const key = limitedKey(request.caller, request.ip);
    if (inHand.of(key) >= limit) {
      reply.header('retry-after', retryAfter);
      throw new ApiError(
        'RATE_LIMITED',
        `${limit} requests of this caller are under way. Wait until one has ended. The operator sets this limit with REQUESTS_AT_ONCE.`,
        { scope: 'atOnce', limit, setting: 'REQUESTS_AT_ONCE', retryAfter },
      );
    }
    // Also where the caller goes away before it is answered.
    reply.raw.once('close', inHand.add(key));
  };
}
