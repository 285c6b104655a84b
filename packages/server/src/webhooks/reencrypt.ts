import { type Queryable, type Reencrypted, reencryptAll, rows, type ServerSecrets } from '../platform/index.ts';
import { keyOf } from './secrets.ts';

/** Encrypts the secrets of all webhooks anew, and those before them. */
export async function reencryptWebhooks(tx: Queryable, secrets: ServerSecrets): Promise<Reencrypted> {
  const current = await reencryptColumn(tx, secrets, 'secret');
  const previous = await reencryptColumn(tx, secrets, 'previous_secret');
  return { done: current.done + previous.done, unreadable: current.unreadable + previous.unreadable };
}

const reencryptColumn = (tx: Queryable, secrets: ServerSecrets, column: 'secret' | 'previous_secret') =>
  reencryptAll(secrets, {
    after: (id, limit) =>
      rows(
        tx,
        `webhooks_encrypted_${column}`,
        `select id, ${column} as encrypted from webhooks
         where ${column} is not null and ($1::uuid is null or id > $1) order by id limit $2 for update`,
        [id, limit],
      ),
    keyOf,
    store: (id, encrypted) =>
      rows(tx, `webhooks_reencrypt_${column}`, `update webhooks set ${column} = $2 where id = $1`, [id, encrypted]),
  });
