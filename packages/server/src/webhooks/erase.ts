import { changedRows, type Queryable, rows, type Tx } from '../platform/index.ts';

/**
 * Ends the webhooks of an owner and of its agents: they have no address any more, and nobody is shown them. They have
 * many messages, so they are deleted later (`forgetWebhooks`).
 */
export const endWebhooks = (tx: Tx, ownerId: string) =>
  rows(tx, 'webhooks_end_all', `update webhooks set enabled = false, url = '' where owner_id = $1`, [ownerId]);

/** Deletes webhooks of an owner that were ended, each with its messages, at most `limit`; gives how many. */
export const forgetWebhooks = (db: Queryable, ownerId: string, limit: number): Promise<number> =>
  changedRows(
    db,
    'webhooks_erase',
    `delete from webhooks where id in (select id from webhooks where owner_id = $1 and url = '' limit $2)`,
    [ownerId, limit],
  );
