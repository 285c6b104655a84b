import type { ErrorCode } from '@agora/contract';

/** What the server or the transport told of a failure. */
export interface ErrorFacts {
  /** HTTP status; null where no reply came. */
  status: number | null;
  /** The catalogue's code, or one of the SDK's own: CONNECTION_ERROR, TIMEOUT, MALFORMED_REPLY, HTTP_<status>. */
  code: ErrorCode | (string & {});
  message: string;
  /** Varies with the code: `fields` for VALIDATION_ERROR, `required` and `available` (cents) for INSUFFICIENT_BALANCE. */
  details?: Record<string, unknown>;
  /** Links this call to the server's log and events; quote it when you report a problem. */
  correlationId?: string | null;
  /** Seconds the server asked to wait, from Retry-After. */
  retryAfterSeconds?: number | null;
  cause?: unknown;
}

/** Base of every error a call rejects with, an abort by the caller's own signal aside. */
export class AgoraError extends Error {
  readonly status: number | null;
  readonly code: ErrorCode | (string & {});
  readonly details: Record<string, unknown>;
  readonly correlationId: string | null;
  /** Seconds to wait as the server's Retry-After says; null without one. */
  readonly retryAfterSeconds: number | null;

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.status = facts.status;
    this.code = facts.code;
    this.details = facts.details ?? {};
    this.correlationId = facts.correlationId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
  }
}

/** 400: the request does not fit the schema, or the resource is in the wrong state for it. */
export class BadRequestError extends AgoraError {}
/** 401: the credential is missing, wrong, rotated or expired. */
export class AuthenticationError extends AgoraError {}
/** 402: the credit pool cannot hold the task's credits. */
export class PaymentRequiredError extends AgoraError {}
/** 403: the caller is known but may not do this. */
export class PermissionDeniedError extends AgoraError {}
/** 404: no such resource, no such endpoint, or no agent for the task. */
export class NotFoundError extends AgoraError {}
/** 409: the task moved on, a duplicate, or a reused idempotency key. */
export class ConflictError extends AgoraError {}
/** 410: expired or past its sunset. */
export class GoneError extends AgoraError {}
/** 413: the body is larger than the server takes. */
export class PayloadTooLargeError extends AgoraError {}
/** 429: too many requests; `retryAfterSeconds` says how long to wait. */
export class RateLimitError extends AgoraError {}
/** 5xx: the server or something behind it failed. */
export class ServerError extends AgoraError {}
/** No reply, or one cut short: refused, reset or unreachable. `cause` holds the transport's error. */
export class ConnectionError extends AgoraError {}
/** No complete reply within `timeoutMs`. */
export class TimeoutError extends AgoraError {}

const classByStatus: Record<number, typeof AgoraError> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  413: PayloadTooLargeError,
  429: RateLimitError,
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds of a Retry-After header, which may be a number or a date; null where it is neither. */
function retryAfterSeconds(headers: Headers, nowMs = Date.now()): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, (at - nowMs) / 1000);
}

/** The error of a reply that is no success. Proxies answer in HTML or nothing, so no part of the body is relied on. */
export function errorOfReply(status: number, headers: Headers, text: string): AgoraError {
  const reply = parsed(text);
  const body = isObject(reply) && isObject(reply.error) ? reply.error : {};
  const facts: ErrorFacts = {
    status,
    code: typeof body.code === 'string' ? body.code : `HTTP_${status}`,
    message: typeof body.message === 'string' ? body.message : `The server answered ${status}.`,
    details: isObject(body.details) ? body.details : {},
    correlationId: headers.get('x-correlation-id'),
    retryAfterSeconds: retryAfterSeconds(headers),
  };
  const ErrorClass = classByStatus[status] ?? (status >= 500 ? ServerError : AgoraError);
  return new ErrorClass(facts);
}
