import type { ForgeKind } from '@agora-market/contract';
import {
  type Queryable,
  type Reencrypted,
  reencryptColumn,
  type ServerSecrets,
  totalReencrypted,
} from '../platform/index.ts';
import { keyOf } from './access.ts';
import { keyOf as keyOfIntake } from './intake/secrets.ts';

/** Encrypts the tokens of all connections anew, and the secrets of intakes. */
export async function reencryptForges(tx: Queryable, secrets: ServerSecrets): Promise<Reencrypted> {
  const tokens = await reencryptColumn(tx, secrets, {
    ...{ table: 'forge_connections', column: 'token', key: ['owner_id', 'forge', 'base_url'] },
    keyOf: (safe, { owner_id, forge, base_url: baseUrl }) =>
      keyOf(safe, owner_id, { forge: forge as ForgeKind, baseUrl }),
  });
  const intakes = await reencryptColumn(tx, secrets, {
    ...{ table: 'intakes', column: 'secret', key: ['id'] },
    keyOf: (safe, { id }) => keyOfIntake(safe, id),
  });
  return totalReencrypted([tokens, intakes]);
}
