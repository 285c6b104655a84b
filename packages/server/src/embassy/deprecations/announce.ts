import { type Deprecated, nameOf, noticeDays } from '@agora-market/contract';
import { appendEvents } from '../../events/index.ts';
import { endOf } from '../../platform/http/index.ts';
import { type Clock, type Config, dayMs, newUuid, type Pool, transaction, untilEmpty } from '../../platform/index.ts';
import { type ComingEnd, claimUntold } from './sql.ts';

const ownersAtOnce = 100;
/** Names that one announcement has; it counts the others. */
const maxNamed = 10;

/** What ends in the days of notice, with its end. */
const comingEnds = (all: readonly Deprecated[], config: Config, now: Date): ComingEnd[] =>
  all
    .map(({ id, deprecated }) => ({ subject: id, end: endOf(deprecated, config) }))
    .filter(({ end }) => end > now && end.getTime() - now.getTime() <= noticeDays * dayMs);

const named = (names: string[]): string[] =>
  names.length <= maxNamed ? names : [...names.slice(0, maxNamed), `and ${names.length - maxNamed} more`];

/**
 * Announces to each owner, once, the end of what it has used in the last 90 days; what ends at the same time in one event.
 * An end that the operator has put off is announced again, 90 days before.
 */
export function announceEnds(deps: { pool: Pool; clock: Clock; config: Config }, all: readonly Deprecated[]) {
  const { pool, clock, config } = deps;
  const names = new Map(all.map((row) => [row.id, nameOf(row)]));
  return untilEmpty(ownersAtOnce, (limit) =>
    transaction(pool, 'write', async (tx) => {
      const now = clock.now();
      const ends = comingEnds(all, config, now);
      if (ends.length === 0) return 0;
      const untold = await claimUntold(tx, ends, new Date(now.getTime() - noticeDays * dayMs), limit);
      const told = new Map<string, { ownerId: string; end: string; used: string[] }>();
      for (const { ownerId, end, subject } of untold) {
        const key = `${ownerId} ${end}`;
        const group = told.get(key) ?? { ownerId, end, used: [] };
        group.used.push(names.get(subject) ?? subject);
        told.set(key, group);
      }
      await appendEvents(
        tx,
        [...told.values()].map(({ ownerId, end, used }) => ({
          type: 'deprecation.announced',
          district: 'embassy',
          at: now,
          correlationId: newUuid(clock),
          ownerId,
          data: { sunset: end, used: named(used.sort()) },
        })),
      );
      return new Set(untold.map(({ ownerId }) => ownerId)).size;
    }),
  );
}
