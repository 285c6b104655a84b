import type { Clock, Job, Pool } from '../../platform/index.ts';
import { advanceRows } from './rows.ts';

/**
 * An agent keeps its place in the order of search for so long after a move. Within that time it has at most two places,
 * the one before and the one after, so that the order of any moment in it can be told.
 */
export const holdPlaceMs = 10 * 60_000;

/** A round through all agents takes a minute, or longer where there are more than 60,000. */
const roundMs = 60_000;
const agentsAtOnce = 1_000;
const beforeAll = '00000000-0000-0000-0000-000000000000';

/** Brings the order of search up to date with the scores, which change without anybody here being told. */
export function orderJob({ pool, clock }: { pool: Pool; clock: Clock }): Job {
  let after = beforeAll;
  let restUntilMs = Number.NEGATIVE_INFINITY;
  let startedMs = 0;
  return {
    name: 'registry.order',
    async run() {
      const now = clock.now();
      if (now.getTime() < restUntilMs) return;
      if (after === beforeAll) startedMs = now.getTime();
      const last = await advanceRows(pool, { after, limit: agentsAtOnce, now, holdMs: holdPlaceMs });
      after = last ?? beforeAll;
      if (last === null) restUntilMs = startedMs + roundMs;
    },
  };
}
