import {
  type Queryable,
  type Reencrypted,
  reencryptColumn,
  type ServerSecrets,
  totalReencrypted,
} from '../platform/index.ts';
import { keyOf } from './secrets.ts';

/** Encrypts the secrets of all webhooks anew, and those before them. */
export async function reencryptWebhooks(tx: Queryable, secrets: ServerSecrets): Promise<Reencrypted> {
  const inColumn = (column: string) => reencryptColumn(tx, secrets, { table: 'webhooks', column, key: ['id'], keyOf });
  return totalReencrypted([await inColumn('secret'), await inColumn('previous_secret')]);
}
