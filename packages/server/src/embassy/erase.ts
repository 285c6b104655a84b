import { changedRows, type Queryable, rows, type Tx } from '../platform/index.ts';
import { decideApproval } from './approvals/decide.ts';

const gone = ['notification_owners', 'policies', 'deprecated_uses'] as const;

/** Denies what waits for the owner, and forgets its notifications, policies and what it used of the API. */
export async function eraseOversight(tx: Tx, ownerId: string, at: Date): Promise<void> {
  const pending = await rows<{ id: string }>(
    tx,
    'embassy_erase_pending',
    `select id from approvals where owner_id = $1 and status = 'pending' order by id for update`,
    [ownerId],
  );
  for (const { id } of pending) await decideApproval(tx, id, { status: 'denied', at });
  for (const table of gone)
    await rows(tx, `embassy_erase_${table}`, `delete from ${table} where owner_id = $1`, [ownerId]);
}

/** Erases the texts of decided requests of a deleted owner, at most `limit`; gives how many. */
export const forgetRequests = (db: Queryable, ownerId: string, limit: number): Promise<number> =>
  changedRows(
    db,
    'embassy_forget_requests',
    `update approvals set description = null, note = null where id in (
       select id from approvals where owner_id = $1 and status <> 'pending'
         and (description is not null or note is not null) limit $2
     )`,
    [ownerId, limit],
  );
