import { type Queryable, row, rows } from '../platform/index.ts';

/** Of the day that is counted now. A server whose clock is behind counts into it too, so that nothing is counted anew. */
const usedBefore = 'case when u.day >= excluded.day then u.used else 0 end';
const grantable = `least($3::bigint, greatest(0, $4::bigint - ${usedBefore}))`;

/** Sets so much of the day's limit aside as is left, at most `wanted`; gives how much that was. */
export async function setAside(
  db: Queryable,
  { ownerId, day, wanted, limit }: { ownerId: string; day: string; wanted: number; limit: number },
): Promise<number> {
  const found = await row<{ granted: number }>(
    db,
    'trust_set_aside',
    `insert into trust_usage as u (owner_id, day, used, granted)
     values ($1, $2, least($3::bigint, $4::bigint), least($3::bigint, $4::bigint))
     on conflict (owner_id) do update set day = greatest(u.day, excluded.day), granted = ${grantable},
       used = ${usedBefore} + ${grantable}
     returning granted`,
    [ownerId, day, wanted, limit],
  );
  return found?.granted ?? 0;
}

/** Gives back the unused part of a lease, so that other servers can use it. */
export const giveBack = (db: Queryable, ownerId: string, day: string, unused: number) =>
  rows(db, 'trust_give_back', 'update trust_usage set used = greatest(0, used - $3) where owner_id = $1 and day = $2', [
    ownerId,
    day,
    unused,
  ]);

export const usedOn = async (db: Queryable, ownerId: string, day: string): Promise<number> =>
  (
    await row<{ used: number }>(db, 'trust_used', 'select used from trust_usage where owner_id = $1 and day = $2', [
      ownerId,
      day,
    ])
  )?.used ?? 0;
