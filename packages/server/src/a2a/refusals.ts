import {
  A2AError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { AgoraError } from '@agora-market/sdk';
import type { ApiError } from '../platform/index.ts';

/** What somebody who is no party of a task may not tell from its absence. */
const unknown = new Set(['TASK_NOT_FOUND', 'NOT_A_PARTY', 'APPROVAL_NOT_FOUND', 'NOT_AGENT_OWNER']);
/** The task has gone on, so that this can no longer be done with it. */
const tooLate = new Set(['TASK_WRONG_STATE', 'INPUT_EXPIRED', 'QUESTION_NOT_OPEN']);

/** A refusal of the API as the standard has it, with the code of the catalogue and its details as metadata. */
export function refusalOf(error: AgoraError | ApiError, TooLate = UnsupportedOperationError): A2AError {
  const options = { message: `${error.code}: ${error.message}`, metadata: metadataOf(error), cause: error };
  if (unknown.has(error.code)) return new TaskNotFoundError(options);
  if (tooLate.has(error.code)) return new TooLate(options);
  return (error.status ?? 500) < 500 ? new RequestMalformedError(options) : new A2AError(options);
}

export const cancelRefusalOf = (error: AgoraError | ApiError): A2AError => refusalOf(error, TaskNotCancelableError);

/** Metadata of an error has texts alone. */
function metadataOf(error: AgoraError | ApiError): Record<string, string> {
  const { code, status, details } = error;
  const ofCall = 'correlationId' in error && {
    ...{ correlationId: error.correlationId, retryAfterSeconds: error.retryAfterSeconds },
  };
  const facts = { ...details, code, status, ...ofCall };
  const told = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    told.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/** What a fault of the service tells its caller; the rest is in the log. */
export const fault = (cause: unknown): A2AError =>
  new A2AError({ message: 'INTERNAL_ERROR: The service failed. Try again.', cause });
