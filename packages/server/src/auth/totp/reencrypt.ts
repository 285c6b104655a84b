import { type Queryable, type Reencrypted, reencryptAll, rows, type ServerSecrets } from '../../platform/index.ts';
import { keyOf } from './second-factor.ts';

/** Encrypts the secrets of all second factors anew. */
export const reencryptTotp = (tx: Queryable, secrets: ServerSecrets): Promise<Reencrypted> =>
  reencryptAll(secrets, {
    after: (id, limit) =>
      rows(
        tx,
        'auth_factors_encrypted',
        `select owner_id as id, secret as encrypted from totp_factors
         where $1::uuid is null or owner_id > $1 order by owner_id limit $2 for update`,
        [id, limit],
      ),
    keyOf,
    store: (id, encrypted) =>
      rows(tx, 'auth_reencrypt_factor', 'update totp_factors set secret = $2 where owner_id = $1', [id, encrypted]),
  });
