import { deprecations, operations } from '@agora-market/contract';
import type { Uses } from '../../platform/http/index.ts';
import { type Clock, type Config, hourMs, type Job, type Pool, untilEmpty } from '../../platform/index.ts';
import { announceEnds } from './announce.ts';
import { forgetUses } from './sql.ts';
import { createUses } from './uses.ts';

const yearMs = 365 * 24 * hourMs;

/** Knows which owners use what ends, and tells them in time. A crash loses the uses of an hour at most. */
export function createDeprecations(deps: { pool: Pool; clock: Clock; config: Config }): {
  uses: Uses;
  jobs: Job[];
  flush(): Promise<void>;
} {
  const uses = createUses(deps);
  const all = deprecations(Object.values(operations));
  const { pool, clock } = deps;
  return {
    uses,
    flush: () => uses.flush(),
    jobs: [
      { name: 'embassy.storeUses', everyMs: hourMs, isOwn: true, run: () => uses.flush() },
      {
        name: 'embassy.announceDeprecations',
        everyMs: hourMs,
        async run() {
          await uses.flush();
          await announceEnds(deps, all);
          const before = new Date(clock.now().getTime() - yearMs);
          await untilEmpty(1_000, (limit) => forgetUses(pool, before, limit));
        },
      },
    ],
  };
}
