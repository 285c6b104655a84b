import { defineFunction } from './postgres/functions.ts';

/**
 * What one owner may hold at once of what all servers of the database have together: a part of it, and one in any case. The
 * database counts what it holds, in the statement that takes more, so it is one share however many servers there are. What
 * guards the memory or the connections of one process is counted there instead (`createFairSemaphore`).
 */
export const ownersShare = (places: number, part: number): number => Math.max(1, Math.floor(places * part));

/**
 * Until the end of the transaction nobody else takes any of it for these owners. Whoever counts afterwards, in another
 * statement of the function that calls this, sees what others took before.
 */
defineFunction(
  'shares_lock',
  `create or replace function shares_lock(p_what text, p_owners uuid[]) returns void language plpgsql as $$
begin
  -- In one order, so that nobody waits in a circle.
  perform pg_advisory_xact_lock(hashtextextended(p_what || ' ' || o.id, 0))
  from (select distinct u.id from unnest(p_owners) as u(id) where u.id is not null order by u.id) o;
end $$`,
);

/** SQL of a statement that leases rows for this server, to each owner its share of them at most. */
interface LeasedShare {
  /** Owners that hold their share already. */
  full(share: string, now: string): string;
  /** Ids of those rows of `due` (`id`, `owner_id`, `at`) that owners have room for, the oldest first. */
  within(due: string, share: string, now: string): string;
}

/**
 * Declares what owners hold: rows of a table with an `owner_id` that are leased at a time. `name` is that of the SQL function
 * that counts them; `isHeld` says in SQL which they are.
 */
export function defineLeasedShare(
  name: string,
  { table, isHeld }: { table: string; isHeld(row: string, now: string): string },
): LeasedShare {
  defineFunction(
    name,
    `create or replace function ${name}(p_owners uuid[], p_now timestamptz)
returns table (holder uuid, holds int) language plpgsql as $$
begin
  perform shares_lock('${name}', p_owners);
  return query select r.owner_id, count(*)::int from ${table} r
    where r.owner_id = any(p_owners) and ${isHeld('r', 'p_now')} group by r.owner_id;
end $$`,
  );
  return {
    full: (share, now) =>
      `select r.owner_id from ${table} r where ${isHeld('r', now)} group by r.owner_id having count(*) >= ${share}`,
    within: (due, share, now) =>
      `select d.id from (select *, row_number() over (partition by owner_id order by at) as nth from ${due}) d
       left join ${name}(array(select distinct owner_id from ${due}), ${now}) on holder = d.owner_id
       where d.nth + coalesce(holds, 0) <= ${share}`,
  };
}
