import type { ForgeKind } from '@agora/contract';
import { type Queryable, type Reencrypted, reencryptAll, rows, type ServerSecrets } from '../platform/index.ts';
import { keyOf } from './access.ts';
import { keyOf as keyOfIntake } from './intake/secrets.ts';

/** Encrypts the tokens of all connections anew, and the secrets of intakes. */
export async function reencryptForges(tx: Queryable, secrets: ServerSecrets): Promise<Reencrypted> {
  const tokens = await reencryptTokens(tx, secrets);
  const intakes = await reencryptIntakes(tx, secrets);
  return { done: tokens.done + intakes.done, unreadable: tokens.unreadable + intakes.unreadable };
}

/** A connection by its owner, its forge, and where that is. */
const connectionId = `(owner_id || ' ' || forge || ' ' || base_url) collate "C"`;

const reencryptTokens = (tx: Queryable, secrets: ServerSecrets): Promise<Reencrypted> =>
  reencryptAll(secrets, {
    after: (id, limit) =>
      rows(
        tx,
        'forge_connections_encrypted',
        `select ${connectionId} as id, token as encrypted from forge_connections
         where token is not null and ($1::text is null or ${connectionId} > $1) order by 1 limit $2 for update`,
        [id, limit],
      ),
    keyOf(safe, id) {
      const [ownerId = '', forge, baseUrl = ''] = id.split(' ');
      return keyOf(safe, ownerId, { forge: forge as ForgeKind, baseUrl });
    },
    store: (id, encrypted) =>
      rows(tx, 'forge_connections_reencrypt', `update forge_connections set token = $2 where ${connectionId} = $1`, [
        id,
        encrypted,
      ]),
  });

const reencryptIntakes = (tx: Queryable, secrets: ServerSecrets): Promise<Reencrypted> =>
  reencryptAll(secrets, {
    after: (id, limit) =>
      rows(
        tx,
        'intakes_encrypted',
        `select id, secret as encrypted from intakes where $1::uuid is null or id > $1 order by id limit $2 for update`,
        [id, limit],
      ),
    keyOf: keyOfIntake,
    store: (id, encrypted) =>
      rows(tx, 'intakes_reencrypt', 'update intakes set secret = $2 where id = $1', [id, encrypted]),
  });
