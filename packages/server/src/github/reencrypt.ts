import { type Queryable, type Reencrypted, reencryptAll, rows, type ServerSecrets } from '../platform/index.ts';
import { keyOf } from './tokens.ts';

/** Encrypts the tokens of all connections anew. */
export const reencryptGitHub = (tx: Queryable, secrets: ServerSecrets): Promise<Reencrypted> =>
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
