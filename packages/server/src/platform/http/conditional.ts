import { hash } from 'node:crypto';
import type { Operation } from '@agora/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Gives the reply an ETag, and whether the caller has this version already (RFC 9110, 13.1.2). Whoever keeps the reply
 * must ask again before using it: what is free to ask is never out of date.
 */
export function isKnown({ auth }: Operation, body: string, request: FastifyRequest, reply: FastifyReply): boolean {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
  reply.header('etag', etag).header('cache-control', auth === 'public' ? 'no-cache' : 'private, no-cache');
  const given = request.headers['if-none-match'];
  if (given === undefined) return false;
  return given.trim() === '*' || given.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}
