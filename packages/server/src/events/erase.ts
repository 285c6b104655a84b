import { type Queryable, row } from '../platform/index.ts';

/** What owners call things, and what they are called elsewhere, in the data of events. */
const names = [
  'name',
  'displayName',
  'login',
  'repository',
  'brand',
  'last4',
  'tokenPrefix',
  'keyPrefix',
  'model',
  'verifiedModel',
  'defaultAnswer',
];

/**
 * Takes these out of `limit` events of a deleted owner that follow after one; gives the last one, null at the end. Events
 * about a task are left as they are: they hold no names, and receipts sign them.
 */
export const forgetNames = async (
  db: Queryable,
  ownerId: string,
  after: number,
  limit: number,
): Promise<number | null> =>
  (
    await row<{ last: number | null }>(
      db,
      'events_forget_names',
      `with looked_at as (
         select seq from events where owner_id = $1 and task_id is null and seq > $2 order by seq limit $3
       ), changed as (
         update events e set data = (e.data::jsonb - $4::text[])::json from looked_at l
         where e.seq = l.seq and e.data::jsonb ?| $4::text[]
       )
       select max(seq) as last from looked_at`,
      [ownerId, after, limit, names],
    )
  )?.last ?? null;
