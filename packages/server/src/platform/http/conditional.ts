import { hash } from 'node:crypto';
import type { Operation } from '@agora-market/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a reply says of caching until its rule says otherwise. */
export const noStore = 'no-store';

/**
 * Sets the reply's ETag and says whether the caller has this version already (RFC 9110, 13.1.2). Caches must ask again
 * before each use, so they never serve an old version, unless the rule has said for how long they may.
 */
export function isKnown(
  { auth }: Pick<Operation, 'auth'>,
  body: string,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
  reply.header('etag', etag);
  if (reply.getHeader('cache-control') === noStore)
    reply.header('cache-control', auth === 'public' ? 'no-cache' : 'private, no-cache');
  const given = request.headers['if-none-match'];
  if (given === undefined) return false;
  return given.trim() === '*' || given.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}
