import type { PackageRegistryKind } from '@agora-market/contract';
import { type Queryable, type Reencrypted, reencryptColumn, type ServerSecrets } from '../../platform/index.ts';
import { keyOf } from './registries.ts';

/** Encrypts the tokens of all private registries anew. */
export const reencryptRegistries = (tx: Queryable, secrets: ServerSecrets): Promise<Reencrypted> =>
  reencryptColumn(tx, secrets, {
    ...{ table: 'package_registries', column: 'token', key: ['owner_id', 'kind', 'url'] },
    keyOf: (safe, { owner_id, kind, url }) => keyOf(safe, owner_id, { kind: kind as PackageRegistryKind, url }),
  });
