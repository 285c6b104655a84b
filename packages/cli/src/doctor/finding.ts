/** What a check has found. */
export interface Finding {
  state: 'ok' | 'warn' | 'fail';
  /** On one line. */
  detail: string;
  /** What to do about it; null where all is well. */
  cure: string | null;
}

export interface Check {
  name: string;
  run(): Promise<Finding> | Finding;
}

export const ok = (detail: string): Finding => ({ state: 'ok', detail, cure: null });
/** The service runs, with less than it could do. */
export const warn = (detail: string, cure: string): Finding => ({ state: 'warn', detail, cure });
/** The service does not start, or fails at its work. */
export const fail = (detail: string, cure: string): Finding => ({ state: 'fail', detail, cure });

/** Why something failed, on one line. */
export function reasonOf(error: unknown): string {
  let inner = error as Error & { code?: string };
  while (inner.cause instanceof Error) inner = inner.cause;
  return (inner.message || inner.code || String(error)).split('\n')[0] as string;
}
