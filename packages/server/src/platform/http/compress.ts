import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';

const zip = promisify(gzip);

/** Shorter replies take a packet or two anyway. In characters. */
const leastChars = 4_096;
/** More would take three times as long for a tenth less. */
const level = 1;

/** The body of a reply, compressed where its client takes that; off the main thread. */
export async function compressed(body: string, request: FastifyRequest, reply: FastifyReply): Promise<string | Buffer> {
  if (body.length < leastChars || request.method !== 'GET') return body;
  reply.header('vary', 'accept-encoding');
  const accepted = request.headers['accept-encoding'];
  if (accepted === undefined || negotiate(String(accepted), ['gzip', 'identity']) !== 'gzip') return body;
  reply.header('content-encoding', 'gzip');
  return zip(body, { level });
}
