import { ensure, newUuid, row, rows, type Tx } from '../platform/index.ts';
import { forgetAsked } from './change-password.ts';
import type { AuthDeps } from './deps.ts';
import type { KnownOwner } from './sql.ts';

/**
 * Locks the account that is to be deleted against every change of its owner and agents (`requireAccount`), to the end of
 * the transaction. 401 where it was deleted, or got another password, since the owner gave its own.
 */
export async function lockForDeletion(tx: Tx, { id, passwordHash }: KnownOwner): Promise<void> {
  const locked = await row(
    tx,
    'auth_lock_for_deletion',
    `select id from owners where id = $1 and password_hash = $2 and status <> 'deleted' for update`,
    [id, passwordHash],
  );
  ensure(locked, 'INVALID_SESSION');
}

const gone = ['sessions', 'developer_tokens', 'mailed_tokens', 'totp_factors'] as const;

/**
 * Takes name, address and every credential from an account. What stands for its address is drawn by chance, so that
 * nobody can take it first. Its password is the one of `decoyHash`, which nobody knows.
 */
export async function eraseOwner(
  { clock }: Pick<AuthDeps, 'clock'>,
  tx: Tx,
  { id, email }: KnownOwner,
  decoy: string,
): Promise<void> {
  for (const table of gone) await rows(tx, `auth_erase_${table}`, `delete from ${table} where owner_id = $1`, [id]);
  await forgetAsked(tx, email);
  await rows(
    tx,
    'auth_erase_owner',
    `update owners set status = 'deleted', name = 'Deleted account', email = $2, email_verified_at = null,
       password_hash = $3 where id = $1`,
    [id, `deleted-${newUuid(clock)}@deleted.invalid`, decoy],
  );
}
