import { type Queryable, row, rows } from '../postgres/db.ts';

export interface KeyRow {
  kid: string;
  publicKey: Buffer;
  /** Encrypted. */
  privateKey: Buffer;
}

export const findActive = (db: Queryable) =>
  row<KeyRow>(
    db,
    'signing_active',
    'select kid, public_key as "publicKey", private_key as "privateKey" from signing_keys where retired_at is null',
  );

/** The key that signs first, then the others, the newest first. */
export const listPublicKeys = (db: Queryable) =>
  rows<Pick<KeyRow, 'kid' | 'publicKey'>>(
    db,
    'signing_published',
    'select kid, public_key as "publicKey" from signing_keys order by retired_at desc nulls first, kid',
  );

/** False if another process has stored one at the same time. */
export const insertActive = async (db: Queryable, { kid, publicKey, privateKey }: KeyRow, at: Date): Promise<boolean> =>
  (
    await rows(
      db,
      'signing_insert',
      `insert into signing_keys (kid, public_key, private_key, created_at) values ($1, $2, $3, $4)
       on conflict do nothing returning kid`,
      [kid, publicKey, privateKey, at.toISOString()],
    )
  ).length === 1;

/** False if it is not the one that signs any more. */
export const retire = async (tx: Queryable, kid: string, at: Date): Promise<boolean> =>
  (
    await rows(
      tx,
      'signing_retire',
      `update signing_keys set private_key = null, retired_at = $2 where kid = $1 and retired_at is null returning kid`,
      [kid, at.toISOString()],
    )
  ).length === 1;
