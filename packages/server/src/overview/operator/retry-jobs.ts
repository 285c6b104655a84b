import type { BodyOf, Operations, ReplyOf } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { retryGivenUp } from '../../jobs/index.ts';
import type { Tx } from '../../platform/index.ts';

type RetryJobs = Operations['operator.retryJobs'];

const atOnce = 1_000;

/** Lets jobs run again that were given up, and records who did it and why. Without any it records nothing. */
export async function retryJobs(
  tx: Tx,
  { kind, reason, by, at, correlationId }: BodyOf<RetryJobs> & { at: Date; correlationId: string },
): Promise<ReplyOf<RetryJobs>> {
  const retried = await retryGivenUp(tx, kind, at, atOnce);
  const data = { kind, retried, reason, by };
  if (retried > 0) await appendEvent(tx, { type: 'jobs.retried', district: 'jobs', at, correlationId, data });
  return { kind, retried };
}
