import { apiPrefix, type Operation } from '@agora/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';

/** Announces that an operation ends, when (RFC 8594), and its successor. */
export function announceEnd({ deprecated }: Operation, request: FastifyRequest, reply: FastifyReply): void {
  if (!deprecated) return;
  // The contract says `true`, as the header's drafts did; RFC 9745 would have the date of the announcement.
  reply.header('deprecation', 'true').header('sunset', new Date(deprecated.sunset).toUTCString());
  const successor = deprecated.successor?.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((request.params as Record<string, string>)[name] ?? ''),
  );
  if (successor) reply.header('link', `<${apiPrefix}${successor}>; rel="successor-version"`);
}

/** The refusal of an operation that has ended; null if it still works. */
export function refusalOfEnded({ deprecated }: Operation, now: Date): ApiError | null {
  if (!deprecated || now < new Date(deprecated.sunset)) return null;
  const { sunset, successor } = deprecated;
  const instead = successor ? ` Use ${apiPrefix}${successor} instead.` : '';
  return new ApiError('ENDPOINT_SUNSET', `This endpoint ended on ${sunset.slice(0, 10)}.${instead}`, { sunset });
}
