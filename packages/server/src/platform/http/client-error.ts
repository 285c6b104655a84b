import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../api-error.ts';
import { toApiError } from './error-reply.ts';
import type { LimitHeaders } from './rate-limit.ts';

const reasons: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

/**
 * Answers what is not even HTTP (a broken request line, oversized headers) with the usual error body, then closes the
 * connection.
 */
export function clientErrorAnswer(count: (request: { ip: string }, reply: LimitHeaders) => Promise<void>) {
  return async (error: Error & { code?: string }, socket: Socket): Promise<void> => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const broken = new ApiError('VALIDATION_ERROR', reasons[error.code ?? ''] ?? 'The request is not valid HTTP.');
    const counted: string[] = [];
    const reply: LimitHeaders = { header: (name, value) => counted.push(`${name}: ${value}`) };
    const refusal = await count({ ip: socket.remoteAddress ?? '' }, reply).then(() => broken, toApiError);
    const body = JSON.stringify(refusal.body());
    socket.end(
      [
        `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
        'content-type: application/json; charset=utf-8',
        'cache-control: no-store',
        `content-length: ${Buffer.byteLength(body)}`,
        `x-correlation-id: ${randomUUID()}`,
        ...counted,
        'connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  };
}
