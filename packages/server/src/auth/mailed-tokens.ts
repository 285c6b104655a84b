import { changedRows, hourMs, type Queryable, row, rows } from '../platform/index.ts';
import { hashCredential, newCredential } from './credentials.ts';

export type Purpose = 'verify_email' | 'reset_password' | 'end_credentials';

const livesMs: Record<Purpose, number> = {
  verify_email: 7 * 24 * hourMs,
  reset_password: hourMs,
  end_credentials: hourMs,
};
/** So nobody can fill an owner's mailbox. Tokens that were mailed before keep their use. */
const perHour = 3;

interface Issued {
  text: string;
  until: Date;
}

/** A new token for the owner, whose row is locked; null where it got its share of this hour. */
export async function issueToken(tx: Queryable, ownerId: string, purpose: Purpose, at: Date): Promise<Issued | null> {
  const { text, hash } = newCredential('ac_mail_');
  const until = new Date(at.getTime() + livesMs[purpose]);
  const since = new Date(at.getTime() - hourMs);
  const issued = await rows(
    tx,
    'auth_issue_mailed_token',
    `insert into mailed_tokens (hash, owner_id, purpose, created_at, expires_at)
     select $1, $2, $3, $4, $5
     where (select count(*) from mailed_tokens where owner_id = $2 and purpose = $3 and created_at > $6) < $7
     returning 1`,
    [hash, ownerId, purpose, at.toISOString(), until.toISOString(), since.toISOString(), perHour],
  );
  return issued.length === 0 ? null : { text, until };
}

/** Whose token it is, as long as it counts; null otherwise. */
export const findToken = (db: Queryable, text: string, purpose: Purpose, now: Date) =>
  row<{ ownerId: string }>(
    db,
    'auth_find_mailed_token',
    `select owner_id as "ownerId" from mailed_tokens
     where hash = decode($1, 'hex') and purpose = $2 and expires_at > $3`,
    [hashCredential(text), purpose, now.toISOString()],
  );

/** Uses a token up, and with it the owner's others for the purpose. Gives whose it was; null where it did not count any more. */
export async function useToken(tx: Queryable, text: string, purpose: Purpose, now: Date): Promise<string | null> {
  const used = await row<{ ownerId: string }>(
    tx,
    'auth_use_mailed_token',
    `delete from mailed_tokens where hash = decode($1, 'hex') and purpose = $2 and expires_at > $3
     returning owner_id as "ownerId"`,
    [hashCredential(text), purpose, now.toISOString()],
  );
  if (used === null) return null;
  await rows(tx, 'auth_drop_mailed_tokens', 'delete from mailed_tokens where owner_id = $1 and purpose = $2', [
    used.ownerId,
    purpose,
  ]);
  return used.ownerId;
}

/** Forgets tokens that have ended. One counts among those of its hour as long as it lives, which is an hour at least. */
export const purgeMailedTokens = (db: Queryable, now: Date, limit: number) =>
  changedRows(
    db,
    'auth_purge_mailed_tokens',
    `delete from mailed_tokens where hash in (
       select hash from mailed_tokens where expires_at < $1 order by expires_at limit $2 for update skip locked
     )`,
    [now.toISOString(), limit],
  );
