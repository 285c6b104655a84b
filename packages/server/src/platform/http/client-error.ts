import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { ApiError } from '../api-error.ts';

/** Answers what is not even HTTP (a broken request line, oversized headers) in the one error shape, then hangs up. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const reasons: Record<string, string> = {
    HPE_HEADER_OVERFLOW: 'The request headers are too large.',
    ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
  };
  const refusal = new ApiError('VALIDATION_ERROR', reasons[error.code ?? ''] ?? 'The request is not valid HTTP.');
  const body = JSON.stringify(refusal.body());
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-correlation-id: ${randomUUID()}`,
      'x-ratelimit-limit: 0',
      'x-ratelimit-remaining: 0',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
