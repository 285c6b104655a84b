import type { PackageRegistryKind } from '@agora/contract';
import { type Queryable, type Reencrypted, reencryptAll, rows, type ServerSecrets } from '../../platform/index.ts';
import { keyOf } from './registries.ts';

const id = `(owner_id || ' ' || kind || ' ' || url) collate "C"`;

/** Encrypts the tokens of all private registries anew. */
export const reencryptRegistries = (tx: Queryable, secrets: ServerSecrets): Promise<Reencrypted> =>
  reencryptAll(secrets, {
    after: (after, limit) =>
      rows(
        tx,
        'package_registries_encrypted',
        `select ${id} as id, token as encrypted from package_registries
         where $1::text is null or ${id} > $1 order by 1 limit $2 for update`,
        [after, limit],
      ),
    keyOf(safe, text) {
      const [ownerId = '', kind, url = ''] = text.split(' ');
      return keyOf(safe, ownerId, { kind: kind as PackageRegistryKind, url });
    },
    store: (text, encrypted) =>
      rows(
        tx,
        'package_registries_reencrypt',
        'update package_registries set token = $1 where owner_id = $2 and kind = $3 and url = $4',
        [encrypted, ...text.split(' ')],
      ),
  });
