import { type AgoraError, AuthenticationError, ConnectionError, TimeoutError } from '@agora-market/sdk';
import { CommanderError } from 'commander';

/** What the command exits with. docs/cli.md has them. */
export const exitCodes = {
  ok: 0,
  /** It failed, was refused, or found something wrong. */
  failed: 1,
  /** It was called wrongly; nothing was done. */
  usage: 2,
  /** The server knows no credential of the caller. */
  signedOut: 3,
  /** The server did not answer. */
  unreachable: 4,
  /** As shells say of SIGINT. */
  interrupted: 130,
} as const;

/** A mistake in how the command was called, with what to write instead. */
export class UsageError extends Error {}

/** No credential for what is asked, found before a server was. */
export class SignedOutError extends Error {}

/** The user has ended it with Ctrl-C; the message says what goes on nevertheless. */
export class Interrupted extends Error {
  constructor(message = 'Interrupted.') {
    super(message);
  }
}

/** A failure of a call to a server, which its message does not name by itself. */
export class CallFailure extends Error {
  readonly server: string;
  readonly hint: string | null;

  constructor(server: string, cause: AgoraError, hint: string | null) {
    super(cause.message, { cause });
    this.server = server;
    this.hint = hint;
  }
}

export interface Failure {
  exitCode: number;
  /** Of the catalogue of the API, or USAGE, SIGNED_OUT or FAILED. */
  code: string;
  message: string;
  /** What to do about it; null where the message says it. */
  hint: string | null;
  details?: Record<string, unknown>;
  correlationId?: string | null;
  server?: string;
}

/** What the caller is told of an error, and the exit code. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CallFailure) {
    const failure = failureOfCall(error.server, error.cause as AgoraError);
    return { ...failure, hint: error.hint ?? failure.hint };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError || error instanceof CommanderError) {
    return { exitCode: exitCodes.usage, code: 'USAGE', message: message.replace(/^error: /, ''), hint: null };
  }
  if (error instanceof SignedOutError) {
    return { exitCode: exitCodes.signedOut, code: 'SIGNED_OUT', message, hint: null };
  }
  if (error instanceof Interrupted) {
    return { exitCode: exitCodes.interrupted, code: 'INTERRUPTED', message, hint: null };
  }
  return { exitCode: exitCodes.failed, code: 'FAILED', message, hint: null };
}

/** The credential was given and is wrong, so that signing in is not the cure. */
const wrongSignIn = ['INVALID_CREDENTIALS', 'TOTP_REQUIRED', 'TOTP_INVALID'];

function failureOfCall(server: string, error: AgoraError): Failure {
  const { code, details, correlationId } = error;
  const facts = { code, details, correlationId, server };
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    const message = `${server} does not answer: ${reasonOf(error)}`;
    const hint = 'Start it with `agora serve`, or name another with --url, AGORA_URL or a profile.';
    return { ...facts, exitCode: exitCodes.unreachable, message, hint };
  }
  const words = inWords(details);
  // The message may be the first of the fields.
  const message = words.startsWith(error.message) ? words : `${error.message}${words === '' ? '' : ` (${words})`}`;
  if (!(error instanceof AuthenticationError)) return { ...facts, exitCode: exitCodes.failed, message, hint: null };
  if (wrongSignIn.includes(code)) return { ...facts, exitCode: exitCodes.signedOut, message, hint: null };
  const hint = `Run \`agora login\`, or set AGORA_TOKEN (an owner) or AGORA_AGENT_KEY (an agent) for ${server}.`;
  return { ...facts, exitCode: exitCodes.signedOut, message, hint };
}

/** The innermost cause is the one that says what happened: `connect ECONNREFUSED 127.0.0.1:4000`. */
function reasonOf(error: Error): string {
  let inner: Error & { code?: string; errors?: Error[] } = error;
  while (inner.cause instanceof Error) inner = inner.cause;
  // Where a name has several addresses, the error has one for each and no message of its own.
  return inner.message || inner.errors?.[0]?.message || inner.code || error.message;
}

/** Details of the API's errors that a person needs: which field, and how much there is. */
function inWords(details: Record<string, unknown>): string {
  const { fields, required, available, reason } = details;
  const said = Array.isArray(fields)
    ? fields.map((field: { path?: unknown; message?: unknown }) => `${field.path}: ${field.message}`)
    : Object.entries({ required, available, reason }).flatMap(([name, value]) =>
        typeof value === 'number' || typeof value === 'string' ? [`${name}: ${value}`] : [],
      );
  return said.join('; ');
}
