import { changedRows, type Queryable, rows } from '../../platform/index.ts';

export interface Use {
  ownerId: string;
  subject: string;
}

/** Stores that these were used now; an owner that has gone meanwhile is left out. */
export const storeUses = (db: Queryable, uses: readonly Use[], at: Date) =>
  rows(
    db,
    'deprecated_uses_store',
    `insert into deprecated_uses (owner_id, subject, used_at)
     select o.id, u.subject, $3 from unnest($1::uuid[], $2::text[]) as u(owner_id, subject)
       join owners o on o.id = u.owner_id order by o.id, u.subject
     on conflict (owner_id, subject) do update set used_at = greatest(deprecated_uses.used_at, excluded.used_at)`,
    [uses.map(({ ownerId }) => ownerId), uses.map(({ subject }) => subject), at.toISOString()],
  );

/** Something that ends soon. */
export interface ComingEnd {
  subject: string;
  end: Date;
}

/**
 * Marks what owners have used since then and were not told the end of, and returns it: of so many owners at most. All
 * lock in one order, and so two servers never get the same, nor parts of one owner's.
 */
export const claimUntold = (tx: Queryable, ends: readonly ComingEnd[], since: Date, owners: number) =>
  rows<Use & { end: string }>(
    tx,
    'deprecated_uses_claim',
    `with ends as (select * from unnest($1::text[], $2::timestamptz[]) as e(subject, end_at)),
     untold as (
       select u.owner_id, u.subject, e.end_at from deprecated_uses u join ends e using (subject)
       where u.used_at >= $3 and u.announced_end is distinct from e.end_at and u.owner_id in (
         select v.owner_id from deprecated_uses v join ends f using (subject)
         where v.used_at >= $3 and v.announced_end is distinct from f.end_at
         group by v.owner_id order by v.owner_id limit $4)
       order by u.owner_id, u.subject for update of u)
     update deprecated_uses u set announced_end = untold.end_at from untold
     where u.owner_id = untold.owner_id and u.subject = untold.subject
     returning u.owner_id as "ownerId", u.subject, u.announced_end as end`,
    [ends.map(({ subject }) => subject), ends.map(({ end }) => end.toISOString()), since.toISOString(), owners],
  );

/** Deletes what was last used before then. */
export const forgetUses = (db: Queryable, before: Date, limit: number) =>
  changedRows(
    db,
    'deprecated_uses_forget',
    `delete from deprecated_uses where (owner_id, subject) in (
       select owner_id, subject from deprecated_uses where used_at < $1 limit $2 for update skip locked)`,
    [before.toISOString(), limit],
  );
