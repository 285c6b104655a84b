import { type Queryable, type Reencrypted, reencryptColumn, type ServerSecrets } from '../../platform/index.ts';
import { keyOf } from './second-factor.ts';

/** Encrypts the secrets of all second factors anew. */
export const reencryptTotp = (tx: Queryable, secrets: ServerSecrets): Promise<Reencrypted> =>
  reencryptColumn(tx, secrets, {
    ...{ table: 'totp_factors', column: 'secret', key: ['owner_id'] },
    keyOf: (safe, { owner_id }) => keyOf(safe, owner_id),
  });
