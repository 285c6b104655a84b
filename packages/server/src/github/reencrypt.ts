import { type Queryable, type Reencrypted, reencryptAll, rows, type ServerSecrets } from '../platform/index.ts';
import { keyOf as keyOfIntake } from './intake/secrets.ts';
import { keyOf } from './tokens.ts';

/** Encrypts the tokens of all connections anew, and the secrets of intakes. */
export async function reencryptGitHub(tx: Queryable, secrets: ServerSecrets): Promise<Reencrypted> {
  const tokens = await reencryptTokens(tx, secrets);
  const intakes = await reencryptIntakes(tx, secrets);
  return { done: tokens.done + intakes.done, unreadable: tokens.unreadable + intakes.unreadable };
}

const reencryptTokens = (tx: Queryable, secrets: ServerSecrets): Promise<Reencrypted> =>
  reencryptAll(secrets, {
    after: (id, limit) =>
      rows(
        tx,
        'github_connections_encrypted',
        `select owner_id as id, token as encrypted from github_connections
         where $1::uuid is null or owner_id > $1 order by owner_id limit $2 for update`,
        [id, limit],
      ),
    keyOf,
    store: (id, encrypted) =>
      rows(tx, 'github_connections_reencrypt', 'update github_connections set token = $2 where owner_id = $1', [
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
