/** The operating system's and the resolver's reasons for which nobody is reached. */
const unreachable = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
/** The primary that we were connected to takes no changes any more: another one does. */
export const readOnlyCode = '25006';
/** Deadlocks and similar errors are nobody's fault: the same work is done again, where a standby answered by another connection. */
export const retryable: ReadonlySet<string> = new Set(['40P01', '40001', '55P03', readOnlyCode]);
/** PostgreSQL ends, has crashed, starts, has no connection left, or is a standby now. */
const refused = new Set(['57P01', '57P02', '57P03', '53300', readOnlyCode]);
/** What the driver says without a code. */
const lost =
  /Connection terminated|connection error|timeout exceeded when trying to connect|timeout expired|Query read timeout/i;

/**
 * Whether PostgreSQL is away, or was replaced by another that is to be asked. Nothing was done, or, for a commit in flight,
 * the outcome is unknown. The connection is of no more use, and the same call may succeed on another one soon.
 */
export function isAway(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string };
  return unreachable.has(code) || refused.has(code) || /^08...$/.test(code) || lost.test(message);
}
