import { changedRows, type Queryable, rows, type Tx } from '../platform/index.ts';

/**
 * Ends the webhooks of an owner's agents: they have no address any more, and nobody is shown them. They have many
 * messages, so they are deleted later (`forgetWebhooks`).
 */
export const endWebhooks = (tx: Tx, ownerId: string) =>
  rows(
    tx,
    'webhooks_end_all',
    `update webhooks w set enabled = false, url = ''
     from agents a where a.owner_id = $1 and w.agent_id = a.id`,
    [ownerId],
  );

/** Deletes webhooks of an owner that were ended, each with its messages, at most `limit`; gives how many. */
export const forgetWebhooks = (db: Queryable, ownerId: string, limit: number): Promise<number> =>
  changedRows(
    db,
    'webhooks_erase',
    `delete from webhooks where id in (
       select w.id from agents a join webhooks w on w.agent_id = a.id where a.owner_id = $1 and w.url = '' limit $2
     )`,
    [ownerId, limit],
  );
