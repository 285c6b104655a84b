import { ApiError } from '../api-error.ts';
import type { Clock } from '../clock.ts';
import { recent } from '../concurrency/index.ts';
import type { Config } from '../config/config.ts';
import { type Encryption, encryption } from '../http/encryption.ts';
import type { Logger } from '../log.ts';
import { type Pool, type Tx, transaction } from '../postgres/db.ts';
import { jwkOf, keyOfSeed, newSeed, type PublicJwk, type SigningKey } from './key.ts';
import { type Reencrypted, reencryptColumn, type Secrets } from './reencrypt.ts';
import { findActive, insertActive, type KeyRow, listPublicKeys, retire } from './sql.ts';

/** The keys of an installation. All servers of a database have the same. */
export interface Signing {
  /** The key that signs now. After a rotation the one before it is given for five seconds more. */
  key(): Promise<SigningKey>;
  /** The public keys of all that this installation ever signed, the one that signs now first. */
  published(): Promise<PublicJwk[]>;
}

interface Deps {
  pool: Pool;
  clock: Clock;
  config: Parameters<typeof encryption>[0];
  log: Pick<Logger, 'warn'>;
}

/** How long a server may go on with a key that another process has replaced; it stays published, so it verifies. */
const staleMs = 5_000;

export function createSigning(deps: Deps): Signing {
  const safe = encryption(deps.config);
  const latest = recent<SigningKey | null>(staleMs, null, () => activeKey(deps, safe));
  const key = async () => {
    const found = await latest.get();
    if (found !== null) return found;
    latest.expire();
    throw new ApiError('NOT_READY', 'The signing key cannot be read. Try again.');
  };
  return {
    key,
    async published() {
      // A new installation has a key from its first question on.
      await key();
      return (await listPublicKeys(deps.pool)).map(jwkOf);
    },
  };
}

/** Under which the private keys are encrypted. */
const storageKey = (safe: Encryption) => safe.digest('signing keys');

/** The key of a row; null if another secret encrypted it. */
function opened(safe: Encryption, row: KeyRow): SigningKey | null {
  const seed = safe.decrypt(storageKey(safe), row.privateKey);
  return seed === null ? null : keyOfSeed(Buffer.from(seed, 'base64'));
}

function rowOf(safe: Encryption, seed: Buffer): KeyRow {
  const { kid, publicKey } = keyOfSeed(seed);
  return { kid, publicKey, privateKey: safe.encrypt(storageKey(safe), seed.toString('base64')) };
}

async function activeKey({ pool, clock, log }: Deps, safe: Encryption): Promise<SigningKey> {
  for (;;) {
    const row = await findActive(pool);
    if (row === null) {
      // The first is the one that releases without this table derived, so that what they signed verifies.
      await insertActive(pool, rowOf(safe, safe.digest('receipt key')), clock.now());
      continue;
    }
    const key = opened(safe, row);
    if (key !== null) return key;
    log.warn({ kid: row.kid }, 'the signing key belongs to another AGORA_ENCRYPTION_KEY; a new key takes its place');
    await transaction(pool, 'write', (tx) => replace(tx, safe, row.kid, clock.now()));
  }
}

/** A new key takes the place of one; null if that one does not sign any more. */
async function replace(tx: Tx, safe: Encryption, kid: string, at: Date): Promise<KeyRow | null> {
  if (!(await retire(tx, kid, at))) return null;
  const row = rowOf(safe, newSeed());
  return (await insertActive(tx, row, at)) ? row : null;
}

/**
 * From now on a new key signs; gives the ids of both. The private key before it is erased, the public one stays published.
 * Refuses with a secret that is not the servers', for they could not decrypt what it encrypts.
 */
export async function rotateSigningKey(
  tx: Tx,
  config: Pick<Config, 'AGORA_ENCRYPTION_KEY' | 'AGORA_DATA_DIR'>,
  at: Date,
): Promise<{ retired: string; kid: string }> {
  const safe = encryption(config);
  const row = await findActive(tx);
  if (row === null)
    throw new Error('There is no signing key yet. A server makes the first one when it is asked for it.');
  if (opened(safe, row) === null) {
    throw new Error(
      'This AGORA_ENCRYPTION_KEY, or the secret in AGORA_DATA_DIR, is not the one that the servers have. Nothing was changed.',
    );
  }
  const made = await replace(tx, safe, row.kid, at);
  if (made === null) throw new Error('Another rotation was faster. Nothing was changed.');
  return { retired: row.kid, kid: made.kid };
}

/** Encrypts the private key that signs anew; retired ones have none. */
export const reencryptSigningKey = (tx: Tx, secrets: Secrets): Promise<Reencrypted> =>
  reencryptColumn(tx, secrets, {
    ...{ table: 'signing_keys', column: 'private_key', key: ['kid'] },
    keyOf: storageKey,
  });
