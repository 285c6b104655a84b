import type { Readable } from 'node:stream';
import type { Operation } from '@agora-market/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';

/** Leaves bodies of bytes unread, so that they wait in the network and not in memory until their rule takes them. */
export function acceptBytes(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
}

/** The whole body, within the limit of the operation. */
export async function readBytes({ maxBytes = 0 }: Operation, { body }: Pick<FastifyRequest, 'body'>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  if (body === undefined) return Buffer.alloc(0);
  let size = 0;
  try {
    for await (const chunk of body as Readable) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) throw new ApiError('PAYLOAD_TOO_LARGE', undefined, { maxBytes });
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError('VALIDATION_ERROR', 'The body broke off.', { in: 'body', fields: [] }, { cause: error });
  }
  return Buffer.concat(chunks, size);
}
