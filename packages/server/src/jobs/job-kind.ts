import type { z } from 'zod';
import type { Role } from '../platform/index.ts';

/** A kind of work that is done after the commit of the change that asked for it. */
export interface JobKind<P> {
  /** `<district>.<what>`. */
  name: string;
  /** Servers with this role run it; those with `jobs` unless given. */
  role?: Role;
  payload: z.ZodType<P>;
  /** Runs of one job; after the last one fails it is given up. */
  attempts: number;
  /** Jobs of the kind that a server runs at once. */
  atOnce: number;
  /** The run's signal is aborted then. Another server takes the job a minute later. */
  timeoutMs: number;
  /** The pause after the first failure; each is twice the one before, up to the longest, give or take a quarter. */
  pauseMs: { first: number; longest: number };
}

/**
 * A kind with its handler. The handler must tolerate a second run: a server may end before it could store the first.
 */
export interface JobHandler {
  kind: Omit<JobKind<unknown>, 'payload'>;
  run(payload: unknown, signal: AbortSignal): Promise<unknown>;
}

export const handler = <P>(
  kind: JobKind<P>,
  run: (payload: P, signal: AbortSignal) => Promise<unknown>,
): JobHandler => ({
  kind,
  run: async (payload, signal) => run(kind.payload.parse(payload), signal),
});

export function pauseAfter({ pauseMs }: Pick<JobHandler['kind'], 'pauseMs'>, attempts: number, random: number): number {
  return Math.min(pauseMs.longest, pauseMs.first * 2 ** (attempts - 1)) * (0.75 + random / 2);
}
