import type { Uses } from '../../platform/http/index.ts';
import type { Clock, Pool } from '../../platform/index.ts';
import { dayMs } from '../../platform/index.ts';
import { storeUses, type Use } from './sql.ts';

/** Owners times subjects that are remembered between two flushes, about 10 MB. What is above that is noted after the flush. */
const maxRemembered = 50_000;
const storedAtOnce = 1_000;

/** What owners use that ends, remembered in memory and stored at most once a day for each owner and subject. */
export function createUses({ pool, clock }: { pool: Pool; clock: Clock }): Uses & { flush(): Promise<void> } {
  const today = () => Math.floor(clock.now().getTime() / dayMs);
  let day = today();
  const stored = new Set<string>();
  const pending = new Map<string, Use>();
  return {
    used(ownerId, subject) {
      const key = `${ownerId} ${subject}`;
      if (pending.size + stored.size < maxRemembered && !stored.has(key)) pending.set(key, { ownerId, subject });
    },
    async flush() {
      const all = [...pending];
      for (let from = 0; from < all.length; from += storedAtOnce) {
        const some = all.slice(from, from + storedAtOnce);
        await storeUses(
          pool,
          some.map(([, use]) => use),
          clock.now(),
        );
        for (const [key] of some) {
          pending.delete(key);
          stored.add(key);
        }
      }
      // Above the half, room for new ones is worth more than to spare some writes.
      if (today() === day && stored.size < maxRemembered / 2) return;
      day = today();
      stored.clear();
    },
  };
}
