import { changedRows, type Queryable, row, rows } from '../../platform/index.ts';

interface FactorRow {
  /** Encrypted. */
  secret: Buffer;
  begunAt: string;
  /** Null until a code has shown that the owner has the secret. */
  confirmedAt: string | null;
  recoveryCodesLeft: number;
}

export const findFactor = (db: Queryable, ownerId: string) =>
  row<FactorRow>(
    db,
    'auth_find_factor',
    `select secret, begun_at as "begunAt", confirmed_at as "confirmedAt",
       (select count(*) from recovery_codes where owner_id = $1) as "recoveryCodesLeft"
     from totp_factors where owner_id = $1`,
    [ownerId],
  );

/** Replaces one that was not confirmed; false where the owner has one that was. */
export const beginFactor = async (tx: Queryable, ownerId: string, secret: Buffer, at: Date): Promise<boolean> =>
  (await changedRows(
    tx,
    'auth_begin_factor',
    `insert into totp_factors as f (owner_id, secret, begun_at) values ($1, $2, $3)
     on conflict (owner_id) do update set secret = $2, begun_at = $3 where f.confirmed_at is null`,
    [ownerId, secret, at.toISOString()],
  )) === 1;

export const confirmFactor = (tx: Queryable, ownerId: string, { step, at }: { step: number; at: Date }) =>
  changedRows(
    tx,
    'auth_confirm_factor',
    'update totp_factors set confirmed_at = $2, last_step = $3 where owner_id = $1 and confirmed_at is null',
    [ownerId, at.toISOString(), step],
  );

/** Uses the code of a step up, and those before it; false where it was. Of two at once one waits, and then gets false. */
export const useStep = async (tx: Queryable, ownerId: string, step: number): Promise<boolean> =>
  (await changedRows(
    tx,
    'auth_use_step',
    'update totp_factors set last_step = $2 where owner_id = $1 and last_step < $2 and confirmed_at is not null',
    [ownerId, step],
  )) === 1;

/** Uses a recovery code up, by its hash (hex); how many are left, null where it was none. */
export async function useRecoveryCode(tx: Queryable, ownerId: string, hash: string): Promise<number | null> {
  const used = await row<{ before: number }>(
    tx,
    'auth_use_recovery_code',
    `delete from recovery_codes where owner_id = $1 and hash = decode($2, 'hex')
     returning (select count(*) from recovery_codes where owner_id = $1) as before`,
    [ownerId, hash],
  );
  return used && used.before - 1;
}

/** By their hashes (hex), in place of those before. */
export async function storeRecoveryCodes(tx: Queryable, ownerId: string, hashes: string[]): Promise<void> {
  await rows(tx, 'auth_drop_recovery_codes', 'delete from recovery_codes where owner_id = $1', [ownerId]);
  await rows(
    tx,
    'auth_store_recovery_codes',
    `insert into recovery_codes (owner_id, hash) select $1, decode(hash, 'hex') from unnest($2::text[]) as hash`,
    [ownerId, hashes],
  );
}

/** False where the owner had none that was confirmed. */
export const deleteFactor = async (tx: Queryable, ownerId: string): Promise<boolean> =>
  (
    await rows<{ on: boolean }>(
      tx,
      'auth_delete_factor',
      'delete from totp_factors where owner_id = $1 returning confirmed_at is not null as on',
      [ownerId],
    )
  ).some(({ on }) => on);
