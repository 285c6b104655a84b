import { type ErrorCode, errors } from '@agora-market/contract';

/** After these nothing that a caller did is why. */
const faultsOfOurs: readonly ErrorCode[] = ['INTERNAL_ERROR', 'NOT_READY', 'STORAGE_FULL'];

/** An error of the catalogue. Its message and details are public; the internal reason goes to the log as `cause`. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Record<string, unknown>;
  /** Whether the platform failed, and the caller cannot have made it so: an agent is excused by it. */
  readonly isOurs: boolean;

  constructor(
    code: ErrorCode,
    message?: string,
    details: Record<string, unknown> = {},
    { isOurs = faultsOfOurs.includes(code), ...options }: { cause?: unknown; isOurs?: boolean } = {},
  ) {
    super(message ?? errors[code].message, options);
    this.isOurs = isOurs;
    this.name = 'ApiError';
    this.code = code;
    this.status = errors[code].status;
    this.details = details;
  }

  body() {
    return { success: false as const, error: { code: this.code, message: this.message, details: this.details } };
  }
}

/** Throws the catalogued error unless the condition holds. */
export function ensure(
  condition: unknown,
  code: ErrorCode,
  message?: string,
  details?: Record<string, unknown>,
): asserts condition {
  if (!condition) throw new ApiError(code, message, details);
}

/** The longest name of a field that a refusal repeats; keys are the caller's to choose, up to a whole body. */
const maxPathChars = 200;

export const shortPath = (path: string) => (path.length > maxPathChars ? `${path.slice(0, maxPathChars)}…` : path);

/** A validation refusal that names one field. */
export function invalidField(field: string, message: string): ApiError {
  const path = shortPath(field);
  return new ApiError('VALIDATION_ERROR', `${path}: ${message}`, { fields: [{ path, message }] });
}
