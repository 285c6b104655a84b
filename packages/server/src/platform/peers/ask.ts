import * as http from 'node:http';
import * as https from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../api-error.ts';

/** A server process, and where it is reached; null if it is not. */
export interface Peer {
  id: string;
  address: string | null;
}

const awayMessage = "The server that holds this task's workspace does not answer. Try again.";

/** Another server did not answer, so that nobody knows what it has done; or another process has its address by now. */
export class PeerAway extends ApiError {
  /** Whether it may have begun what it was asked for. */
  readonly mayHaveBegun: boolean;

  constructor({
    cause,
    mayHaveBegun = true,
    isOurs = true,
  }: { cause?: unknown; mayHaveBegun?: boolean; isOurs?: boolean } = {}) {
    super('NOT_READY', awayMessage, {}, { cause, isOurs });
    this.mayHaveBegun = mayHaveBegun;
  }
}

const connectMs = 3_000;
/** Streams say something every 15 s. */
const silentMs = 60_000;
/** More than any reply that is not a stream. */
const maxReplyBytes = 64 * 1024 ** 2;

/** Sends a request and gives the head of its reply, whose body is still to be read. */
export function ask(
  { address }: Peer,
  path: string,
  { headers, body }: { headers: http.OutgoingHttpHeaders; body: string },
  { longestMs, signal }: { longestMs: number; signal: AbortSignal },
): Promise<http.IncomingMessage> {
  if (address === null) return Promise.reject(new PeerAway({ mayHaveBegun: false }));
  const url = new URL(path, address);
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const length = Buffer.byteLength(body);
    // Connections are not reused: a closed connection would look like a server that has ended.
    const sent = request(url, {
      ...{ method: 'POST', agent: false, headers: { ...headers, 'content-length': length } },
      signal,
    });
    const timer = setTimeout(() => sent.destroy(new Error('it cannot be reached')), connectMs);
    const wholeTimer = setTimeout(() => sent.destroy(new Error('it does not answer')), longestMs);
    let mayHaveBegun = false;
    const connected = () => {
      clearTimeout(timer);
      mayHaveBegun = true;
    };
    sent.on('socket', (socket) => socket.once('connect', connected));
    sent.on('error', (cause) => reject(new PeerAway({ cause, mayHaveBegun })));
    sent.on('close', () => {
      clearTimeout(timer);
      clearTimeout(wholeTimer);
    });
    sent.on('response', (reply) => {
      clearTimeout(wholeTimer);
      resolve(reply);
    });
    sent.end(body);
  });
}

export async function readAll(reply: http.IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of reply as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > maxReplyBytes) throw new Error('its reply is too large');
      parts.push(part);
    }
  } catch (cause) {
    throw new PeerAway({ cause });
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Headers of a stream that are passed on. */
const told = [
  'content-type',
  'content-length',
  'content-disposition',
  'content-security-policy',
  'cache-control',
  'etag',
  'x-accel-buffering',
];

/**
 * Passes a stream on while it arrives. The sender waits for a slow reader and is told if the reader leaves. If the
 * sender dies, the reader's connection ends as if this server had died.
 */
export async function relay(reply: http.IncomingMessage, to: FastifyReply): Promise<void> {
  to.hijack();
  const picked = told.flatMap((name) => (reply.headers[name] === undefined ? [] : [[name, reply.headers[name]]]));
  to.raw.writeHead(reply.statusCode ?? 200, { ...to.getHeaders(), ...Object.fromEntries(picked) } as never);
  to.raw.flushHeaders();
  reply.setTimeout(silentMs, () => reply.destroy());
  await pipeline(reply, to.raw).catch(() => undefined);
}
