import type { Clock, Logger, Queryable } from '../../platform/index.ts';
import { correctTokens, everybody, reserveTokens } from './sql.ts';

/** The tokens that opinions may cost in a UTC day, on all servers of a database together. */
export interface Allowance {
  /**
   * Reserves tokens for a task of an owner. Null if the tokens of the day, or the owner's share, are used up. The
   * caller reports how many were used.
   */
  reserve(ownerId: string, tokens: number): Promise<((spent: number) => Promise<void>) | null>;
}

interface Source {
  /** 0: no limit. */
  perDay: number;
  /** How much of that the tasks of one owner may take, so that nobody uses up everybody's. */
  ownerPercent: number;
  db: Queryable;
  clock: Clock;
  log: Logger;
}

/**
 * Stored in the database before each call, so that servers see each other's reservations. If a server dies, its
 * reservation counts as used until the day is over.
 */
export function createAllowance({ perDay, ownerPercent, db, clock, log }: Source): Allowance {
  return {
    async reserve(ownerId, tokens) {
      if (perDay === 0) return async () => undefined;
      const day = clock.now().toISOString().slice(0, 10);
      const limit = Math.floor((perDay * ownerPercent) / 100);
      if (!(await reserveTokens(db, { day, ownerId, tokens, limit }))) return null;
      if (!(await reserveTokens(db, { day, ownerId: everybody, tokens, limit: perDay }))) {
        await correctTokens(db, day, [ownerId], -tokens);
        return null;
      }
      return async (spent) => {
        if (spent === tokens) return;
        // The opinion is there; it must not be lost for a count that is too high.
        await correctTokens(db, day, [ownerId, everybody], spent - tokens).catch((error) => {
          log.warn({ err: error, day, tokens, spent }, 'tokens of the judge stay set aside until the day is over');
        });
      };
    },
  };
}
