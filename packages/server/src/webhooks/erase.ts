import { changedRows, type Queryable, rows, type Tx } from '../platform/index.ts';

/** Sends nothing more to the webhooks of an owner's agents. */
export const stopWebhooks = (tx: Tx, ownerId: string) =>
  rows(
    tx,
    'webhooks_erase_stop',
    'update webhooks w set enabled = false from agents a where a.owner_id = $1 and w.agent_id = a.id',
    [ownerId],
  );

/** Deletes the webhooks of an owner's agents with their messages, of which each keeps few. */
export const deleteWebhooks = (tx: Tx, ownerId: string) =>
  rows(tx, 'webhooks_delete_all', 'delete from webhooks w using agents a where a.owner_id = $1 and w.agent_id = a.id', [
    ownerId,
  ]);

/** Deletes webhooks of a deleted owner, each with its messages, at most `limit`; gives how many. */
export const forgetWebhooks = (db: Queryable, ownerId: string, limit: number): Promise<number> =>
  changedRows(
    db,
    'webhooks_erase',
    `delete from webhooks where id in (
       select w.id from agents a join webhooks w on w.agent_id = a.id where a.owner_id = $1 limit $2
     )`,
    [ownerId, limit],
  );
