import { retrySeconds } from '@agora-market/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';
import { type Disk, isDiskFull } from '../files/disk.ts';
import type { Logger } from '../log.ts';
import { isAway } from '../postgres/away.ts';

/** Fastify's own refusals, in our catalogue. */
const frameworkCodes: Record<string, (error: Error) => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('PAYLOAD_TOO_LARGE', undefined, { maxBytes: 1024 * 1024 }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new ApiError('UNSUPPORTED_MEDIA_TYPE'),
  FST_ERR_BAD_URL: () => new ApiError('ROUTE_NOT_FOUND'),
  FST_ERR_MAX_PARAM_LENGTH: () => new ApiError('ROUTE_NOT_FOUND'),
};

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const {
    code = '',
    statusCode,
    message = '',
  } = (error ?? {}) as { code?: string; statusCode?: number; message?: string };
  const known = frameworkCodes[code];
  if (known) return known(error as Error);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ApiError('VALIDATION_ERROR', `The body cannot be read: ${message}`, { in: 'body', fields: [] });
  }
  if (isAway(error)) {
    return new ApiError('NOT_READY', 'The database cannot be reached. Try again.', {}, { cause: error });
  }
  return new ApiError('INTERNAL_ERROR', undefined, {}, { cause: error });
}

/** The error to report if the disk is full: then PostgreSQL ends, for example, because it cannot write its log. */
export async function inLightOf(disk: Disk, error: unknown): Promise<unknown> {
  if (isDiskFull(error)) disk.noteFull();
  else if (toApiError(error).code !== 'NOT_READY') return error;
  return (await disk.shortage()) ?? error;
}

/** Answers every failure with the same body; internal details go only to the log. */
export function errorReply(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): void {
  const refusal = toApiError(error);
  // The watch of the disk says so once; a line for each refusal would help to fill it.
  if (refusal.status >= 500 && refusal.code !== 'STORAGE_FULL') {
    log.error(
      { err: refusal.cause ?? refusal, correlationId: request.id, url: request.routeOptions?.url },
      refusal.code,
    );
  }
  const seconds = (refusal.details.retryAfter as number | undefined) ?? retrySeconds[refusal.code];
  if (seconds !== undefined) void reply.header('retry-after', seconds);
  void reply
    .code(refusal.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(refusal.body()));
}
