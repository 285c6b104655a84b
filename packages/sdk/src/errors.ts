import type { ErrorCode } from '@agora-market/contract';
import type { Approval } from './types.ts';

/** Facts about a failure, from the server or the transport. */
export interface ErrorFacts {
  /** HTTP status; null if no reply came. */
  status: number | null;
  /** Code of the catalogue, or one of the SDK: CONNECTION_ERROR, TIMEOUT, MALFORMED_REPLY, APPROVAL_REQUIRED, WAIT_ENDED, HTTP_<status>. */
  code: ErrorCode | (string & {});
  message: string;
  /**
   * Depends on the code: `fields` for VALIDATION_ERROR, `required` and `available` (cents) for INSUFFICIENT_BALANCE.
   */
  details?: Record<string, unknown>;
  /** Links this call to the server's log and events; quote it when you report a problem. */
  correlationId?: string | null;
  /** Seconds from Retry-After. */
  retryAfterSeconds?: number | null;
  cause?: unknown;
}

/** Base of all errors that a call rejects with, except an abort by the caller's own signal. */
export class AgoraError extends Error {
  readonly status: number | null;
  readonly code: ErrorCode | (string & {});
  readonly details: Record<string, unknown>;
  readonly correlationId: string | null;
  /** Seconds to wait, from Retry-After; null without that header. */
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

/** 400: the request does not fit the schema, or the resource is in the wrong state. */
export class BadRequestError extends AgoraError {}
/** 401: the credential is missing, wrong, rotated or expired. */
export class AuthenticationError extends AgoraError {}
/** 402: the credit pool does not cover the task. */
export class PaymentRequiredError extends AgoraError {}
/** 403: the caller is known but not allowed to do this. */
export class PermissionDeniedError extends AgoraError {}
/** 404: no such resource or endpoint, or no agent for the task. */
export class NotFoundError extends AgoraError {}
/** 409: the task moved on, the thing exists already, or an idempotency key was reused. */
export class ConflictError extends AgoraError {}
/** 410: expired, too late, or an endpoint that has ended. */
export class GoneError extends AgoraError {}
/** 413: the body exceeds the server's limit. */
export class PayloadTooLargeError extends AgoraError {}
/** 429: too many requests; `retryAfterSeconds` says how long to wait. */
export class RateLimitError extends AgoraError {}
/** 5xx: the server or something behind it failed. */
export class ServerError extends AgoraError {}
/** No reply, or a reply that broke off. `cause` is the transport's error. */
export class ConnectionError extends AgoraError {}
/** No complete reply within `timeoutMs`. */
export class TimeoutError extends AgoraError {}

/**
 * 202: an agent's task waits for the approval of its owner. Nothing is submitted or held yet. When the owner approves it
 * (`embassy.approve(error.approval.id)`), `taskId` of the approval names the task.
 */
export class ApprovalRequiredError extends AgoraError {
  /** The request, with `id`, `reason` and `expiresAt`. */
  readonly approval: Approval;

  constructor(approval: Approval) {
    const message = `The task needs the owner's approval ${approval.id}; no task is submitted yet.`;
    super({ status: 202, code: 'APPROVAL_REQUIRED', message, details: { approvalId: approval.id } });
    this.approval = approval;
  }
}

/**
 * The waiting for a task ended before the task. `cause` says why: the reason of the caller's signal, a TimeoutError after
 * `waitMs`, or what went wrong. `tasks.wait(error.taskId)` waits again.
 */
export class WaitEndedError extends AgoraError {
  readonly taskId: string;
  /** Whether the task was cancelled, as the option `cancel` asks. Otherwise it goes on. */
  readonly cancelled: boolean;

  constructor(taskId: string, cancelled: boolean, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `Stopped waiting for ${taskId} (${why}). The task ${cancelled ? 'is cancelled' : 'goes on'}.`;
    super({ status: null, code: 'WAIT_ENDED', message, details: { taskId }, cause });
    this.taskId = taskId;
    this.cancelled = cancelled;
  }
}

/** A question about a task (`taskId`) has no answer, and none will come. The agent may deliver, or fail without blame. */
export class UnansweredError extends AgoraError {
  readonly taskId: string;

  constructor(taskId: string, why: string) {
    super({ status: null, code: 'UNANSWERED', message: `${why}, and nobody has answered.`, details: { taskId } });
    this.taskId = taskId;
  }
}

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

/** Seconds of a Retry-After header, which may be a number or a date; null if it is neither. */
function retryAfterSeconds(headers: Headers, nowMs = Date.now()): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, (at - nowMs) / 1000);
}

/** The error for a failed reply. A proxy may answer with HTML or nothing, so every part of the body is optional. */
export function errorOfReply(status: number, headers: Headers, text: string): AgoraError {
  const reply = parsed(text);
  const body = isObject(reply) && isObject(reply.error) ? reply.error : {};
  const waitSeconds = retryAfterSeconds(headers);
  const said = typeof body.message === 'string' ? body.message : `The server answered ${status}.`;
  const facts: ErrorFacts = {
    status,
    code: typeof body.code === 'string' ? body.code : `HTTP_${status}`,
    message: status === 429 && waitSeconds !== null ? `${said} Try again in ${Math.ceil(waitSeconds)} s.` : said,
    details: isObject(body.details) ? body.details : {},
    correlationId: headers.get('x-correlation-id'),
    retryAfterSeconds: waitSeconds,
  };
  const ErrorClass = classByStatus[status] ?? (status >= 500 ? ServerError : AgoraError);
  return new ErrorClass(facts);
}
