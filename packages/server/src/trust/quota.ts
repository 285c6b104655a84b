import { trustQueriesByPlan } from '@agora-market/contract';
import { ApiError, type Clock, type Plan, type Pool } from '../platform/index.ts';
import { giveBack, setAside, usedOn } from './quota-sql.ts';

/** Counts what trust keys ask about, against the daily limit of their owner's plan. */
export interface Quota {
  /** Counts so many agents, or rejects where fewer are left today. */
  spend(owner: { ownerId: string; plan: Plan }, count: number): Promise<void>;
  /** Agents counted today, and those that other servers have set aside. */
  used(ownerId: string): Promise<number>;
  /** At a stop: other servers may use what this one has set aside. */
  close(): Promise<void>;
}

/** What this process may still spend of a day without asking the database. */
interface Lease {
  left: number;
  /** The database had nothing left; it is asked again from this time on, in ms. */
  emptyUntilMs: number;
  renewal: Promise<void> | null;
}

/** A hundredth of the day's limit is set aside at a time, so that next to no query waits for the database. */
const chunkOf = (limit: number) => Math.min(500, Math.ceil(limit / 100));
/** Another plan, or what another server gives back, is noticed after this time. */
const askAgainMs = 5_000;

const dayOf = (at: Date) => at.toISOString().slice(0, 10);

/**
 * Never more is spent than the limit, whatever the number of servers, and a restart forgets nothing. What one server has
 * set aside the others cannot use: an owner may be refused with a hundredth of its limit unused for each server. A server
 * that is killed leaves as much unused that day.
 */
export function createQuota({ pool, clock }: { pool: Pool; clock: Clock }): Quota {
  const today = { day: '', leases: new Map<string, Lease>() };

  /** The leases of the day; those of another day are worth nothing. */
  function leases(): Map<string, Lease> {
    const day = dayOf(clock.now());
    if (day !== today.day) Object.assign(today, { day, leases: new Map() });
    return today.leases;
  }

  function leaseOf(ownerId: string): Lease {
    const found = leases().get(ownerId) ?? { left: 0, emptyUntilMs: 0, renewal: null };
    today.leases.set(ownerId, found);
    return found;
  }

  function renew(lease: Lease, ownerId: string, limit: number, wanted: number): Promise<void> {
    const { day } = today;
    lease.renewal ??= setAside(pool, { ownerId, day, wanted, limit })
      .then((granted) => {
        lease.left += granted;
        if (granted < wanted) lease.emptyUntilMs = clock.now().getTime() + askAgainMs;
      })
      .finally(() => {
        lease.renewal = null;
      });
    return lease.renewal;
  }

  return {
    async spend({ ownerId, plan }, count) {
      const limit = trustQueriesByPlan[plan];
      const chunk = chunkOf(limit);
      for (;;) {
        const lease = leaseOf(ownerId);
        const mayAsk = clock.now().getTime() >= lease.emptyUntilMs;
        if (lease.left >= count) {
          lease.left -= count;
          // Ahead of time, so that nobody waits. Who comes when nothing is left tries again and learns what is wrong.
          if (lease.left < chunk / 2 && mayAsk) renew(lease, ownerId, limit, chunk).catch(() => {});
          return;
        }
        if (!mayAsk) throw usedUp(limit, clock.now());
        await renew(lease, ownerId, limit, Math.max(chunk, count));
      }
    },
    async used(ownerId) {
      const { left } = leaseOf(ownerId);
      return Math.max(0, (await usedOn(pool, ownerId, today.day)) - left);
    },
    async close() {
      const { day } = today;
      for (const [ownerId, lease] of leases()) {
        await lease.renewal?.catch(() => {});
        if (lease.left > 0) await giveBack(pool, ownerId, day, lease.left);
        lease.left = 0;
      }
    },
  };
}

function usedUp(limit: number, now: Date): ApiError {
  const seconds = Math.max(1, Math.ceil((Date.parse(`${dayOf(now)}T24:00:00.000Z`) - now.getTime()) / 1000));
  return new ApiError(
    'RATE_LIMITED',
    `The plan allows ${limit} agents a day, and too few of them are left. The next day begins in ${seconds} s (UTC).`,
    { scope: 'trustDaily', limit, windowSeconds: 86_400, retryAfter: seconds },
  );
}
