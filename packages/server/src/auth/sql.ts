import { changedRows, ensure, type OwnerCaller, type Queryable, row, rows } from '../platform/index.ts';

export interface OwnerRow {
  id: string;
  name: string;
  email: string;
  status: 'active' | 'suspended';
  plan: OwnerCaller['plan'];
  emailVerifiedAt: string | null;
  createdAt: string;
}

export interface TokenRow {
  id: string;
  name: string;
  tokenPrefix: string;
  createdAt: string;
  lastUsedAt: string | null;
}

/** The owner of a session or developer token; `hash` in hex. */
export interface CredentialRow {
  hash: string;
  ownerId: string;
  status: OwnerRow['status'];
  plan: OwnerCaller['plan'];
}

export const ownerColumns =
  'id, name, email, status, plan, email_verified_at as "emailVerifiedAt", created_at as "createdAt"';
/** One that was deleted is found by nobody. */
const isThere = `status <> 'deleted'`;
const tokenColumns = 'id, name, token_prefix as "tokenPrefix", created_at as "createdAt", last_used_at as "lastUsedAt"';

export const insertOwner = (
  db: Queryable,
  owner: { id: string; name: string; email: string; passwordHash: string; at: Date },
) =>
  row<OwnerRow>(
    db,
    'auth_insert_owner',
    `insert into owners (id, name, email, password_hash, created_at) values ($1, $2, $3, $4, $5)
     returning ${ownerColumns}`,
    [owner.id, owner.name, owner.email, owner.passwordHash, owner.at.toISOString()],
  );

export const findOwner = (db: Queryable, id: string) =>
  row<OwnerRow>(db, 'auth_find_owner', `select ${ownerColumns} from owners where id = $1 and ${isThere}`, [id]);

export type KnownOwner = OwnerRow & { passwordHash: string };

export const findOwnerByEmail = (db: Queryable, email: string) =>
  row<KnownOwner>(
    db,
    'auth_find_owner_by_email',
    `select ${ownerColumns}, password_hash as "passwordHash" from owners where email = $1 and ${isThere}`,
    [email],
  );

/** Changes plan and status if given; null if there is no such owner. */
export const updateOwner = (
  tx: Queryable,
  id: string,
  { plan, status }: { plan?: OwnerRow['plan'] | undefined; status?: OwnerRow['status'] | undefined },
) =>
  row<OwnerRow>(
    tx,
    'auth_update_owner',
    `update owners set plan = coalesce($2, plan), status = coalesce($3, status)
     where id = $1 and ${isThere} returning ${ownerColumns}`,
    [id, plan ?? null, status ?? null],
  );

export const setPassword = (tx: Queryable, id: string, passwordHash: string) =>
  rows(tx, 'auth_set_password', 'update owners set password_hash = $2 where id = $1', [id, passwordHash]);

/** Gives how many owners changed: none where the address was verified before. */
export const setEmailVerified = (tx: Queryable, id: string, at: Date) =>
  changedRows(
    tx,
    'auth_set_email_verified',
    'update owners set email_verified_at = $2 where id = $1 and email_verified_at is null',
    [id, at.toISOString()],
  );

/** One key for each owner, apart from all row locks: it is taken before them, so nobody waits in a circle. */
const credentialsKey = (ownerId: string) => `hashtextextended('credentials ' || ${ownerId}, 0)`;

/**
 * Refuses what is done for an account that was deleted, or with a credential that was ended, while the request was under way.
 * Neither happens before the transaction ends: what a credential makes is there when it is ended, or is not made.
 */
export async function requireAccount(
  tx: Queryable,
  ownerId: string,
  credential?: OwnerCaller['credential'],
): Promise<void> {
  const found = await rows(
    tx,
    'auth_require_account',
    `select pg_advisory_xact_lock_shared(${credentialsKey('id::text')}) from owners
     where id = $1 and ${isThere} for key share`,
    [ownerId],
  );
  ensure(found.length === 1, 'INVALID_SESSION');
  if (credential !== undefined) ensure(await isLive(tx, credential), 'INVALID_SESSION');
}

/** A statement of its own, so that it sees what was committed while the lock was waited for. */
const isLive = async (tx: Queryable, credential: OwnerCaller['credential']): Promise<boolean> =>
  credential.type === 'session'
    ? (await row(tx, 'auth_session_lives', `select 1 as lives from sessions where token_hash = decode($1, 'hex')`, [
        credential.tokenHash,
      ])) !== null
    : (await row(tx, 'auth_token_lives', 'select 1 as lives from developer_tokens where id = $1', [credential.id])) !==
      null;

/** Waits for all that credentials of an owner are making, and holds off the rest to the end of the transaction. */
export const lockCredentials = (tx: Queryable, ownerId: string) =>
  rows(tx, 'auth_lock_credentials', `select pg_advisory_xact_lock(${credentialsKey('$1::uuid::text')})`, [ownerId]);

/**
 * Locks an owner whose password was found right a moment ago. It may have another by now, given because somebody knew
 * the old one.
 */
export async function lockKnown(tx: Queryable, { id, passwordHash }: KnownOwner): Promise<void> {
  const found = await rows(
    tx,
    'auth_lock_known',
    `select from owners where id = $1 and password_hash = $2 and ${isThere} for no key update`,
    [id, passwordHash],
  );
  ensure(found.length === 1, 'INVALID_CREDENTIALS');
}

/** Locks an owner's row, so that only one request at a time counts and adds what the owner has. */
export const lockOwner = (tx: Queryable, ownerId: string) =>
  rows(tx, 'auth_lock_owner', 'select from owners where id = $1 for no key update', [ownerId]);

interface NewSession {
  id: string;
  hash: Buffer;
  ownerId: string;
  at: Date;
  expiresAt: Date;
  userAgent: string | null;
}

export const insertSession = (db: Queryable, session: NewSession) =>
  rows(
    db,
    'auth_insert_session',
    `insert into sessions (token_hash, owner_id, created_at, expires_at, id, user_agent) values ($1, $2, $3, $4, $5, $6)`,
    [
      session.hash,
      session.ownerId,
      session.at.toISOString(),
      session.expiresAt.toISOString(),
      session.id,
      session.userAgent,
    ],
  );

export const deleteSession = (db: Queryable, hashHex: string) =>
  rows(db, 'auth_delete_session', `delete from sessions where token_hash = decode($1, 'hex') returning 1`, [hashHex]);

/** Ends an owner's sessions, all or only one, but not the one with the hash (hex); a row for each. */
export const deleteSessions = (
  tx: Queryable,
  ownerId: string,
  { except, only }: { except: string | null; only: string | null },
) =>
  rows(
    tx,
    'auth_delete_sessions',
    `delete from sessions where owner_id = $1 and ($2::uuid is null or id = $2)
       and token_hash is distinct from decode($3, 'hex') returning 1`,
    [ownerId, only, except],
  );

/** Sessions that go on, from below an id. */
export const listSessions = (
  db: Queryable,
  ownerId: string,
  { now, before, limit }: { now: Date; before: string | null; limit: number },
) =>
  rows<{ id: string; hash: string; createdAt: string; expiresAt: string; userAgent: string | null }>(
    db,
    'auth_list_sessions',
    `select id, encode(token_hash, 'hex') as hash, created_at as "createdAt", expires_at as "expiresAt",
       user_agent as "userAgent"
     from sessions where owner_id = $1 and expires_at > $2 and ($3::uuid is null or id < $3) order by id desc limit $4`,
    [ownerId, now.toISOString(), before, limit],
  );

export const deleteExpiredSessions = (db: Queryable, ownerId: string, at: Date) =>
  rows(db, 'auth_delete_expired_sessions', 'delete from sessions where owner_id = $1 and expires_at <= $2', [
    ownerId,
    at.toISOString(),
  ]);

/** Ends all sessions of an owner except the given number that were used last; one row for each that ended. */
export const deleteOldSessions = (tx: Queryable, ownerId: string, kept: number) =>
  rows(
    tx,
    'auth_delete_old_sessions',
    `delete from sessions where token_hash in (
       select token_hash from sessions where owner_id = $1 order by expires_at desc, created_at desc, token_hash offset $2
     ) returning 1`,
    [ownerId, kept],
  );

/** Sessions by hash (hex). Always an index look-up; without this a fresh table would be scanned. */
export const loadSessions = (db: Queryable, hashes: string[]) =>
  rows<CredentialRow & { expiresAt: string }>(
    db,
    'auth_load_sessions',
    `select k.hash, s.owner_id as "ownerId", s.expires_at as "expiresAt", o.status, o.plan
     from unnest($1::text[]) as k(hash)
     cross join lateral (select * from sessions where token_hash = decode(k.hash, 'hex') limit 1) s
     cross join lateral (select status, plan from owners where id = s.owner_id and ${isThere} limit 1) o`,
    [hashes],
  );

/** Moves the end of sessions; those that somebody else holds are being moved, or ended, already. */
export const extendSessions = (db: Queryable, hashes: string[], expiresAt: Date) =>
  rows(
    db,
    'auth_extend_sessions',
    `update sessions set expires_at = $2
     where token_hash in (
       select s.token_hash from unnest($1::text[]) as k(hash)
       cross join lateral (
         select token_hash from sessions
         where token_hash = decode(k.hash, 'hex') and expires_at < $2 for update skip locked
       ) s
     )`,
    [hashes, expiresAt.toISOString()],
  );

export const loadTokens = (db: Queryable, hashes: string[]) =>
  rows<CredentialRow & { id: string; lastUsedAt: string | null }>(
    db,
    'auth_load_tokens',
    `select k.hash, t.id, t.owner_id as "ownerId", t.last_used_at as "lastUsedAt", o.status, o.plan
     from unnest($1::text[]) as k(hash)
     cross join lateral (select * from developer_tokens where token_hash = decode(k.hash, 'hex') limit 1) t
     cross join lateral (select status, plan from owners where id = t.owner_id and ${isThere} limit 1) o`,
    [hashes],
  );

export const touchTokens = (db: Queryable, ids: string[], at: Date) =>
  rows(
    db,
    'auth_touch_tokens',
    `update developer_tokens set last_used_at = $2
     where id in (select id from developer_tokens where id = any($1::uuid[]) for update skip locked)`,
    [ids, at.toISOString()],
  );

export const insertToken = (
  db: Queryable,
  token: { id: string; ownerId: string; name: string; hash: Buffer; shownPrefix: string; at: Date },
) =>
  row<TokenRow>(
    db,
    'auth_insert_token',
    `insert into developer_tokens (id, owner_id, name, token_hash, token_prefix, created_at)
     values ($1, $2, $3, $4, $5, $6) returning ${tokenColumns}`,
    [token.id, token.ownerId, token.name, token.hash, token.shownPrefix, token.at.toISOString()],
  );

export const countTokens = (db: Queryable, ownerId: string) =>
  row<{ count: number }>(db, 'auth_count_tokens', 'select count(*) from developer_tokens where owner_id = $1', [
    ownerId,
  ]);

/** Newest first, from below `beforeId`. */
export const listTokens = (db: Queryable, ownerId: string, beforeId: string | null, limit: number) =>
  rows<TokenRow>(
    db,
    'auth_list_tokens',
    `select ${tokenColumns} from developer_tokens
     where owner_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [ownerId, beforeId, limit],
  );

export const deleteToken = (db: Queryable, ownerId: string, id: string) =>
  rows<TokenRow>(
    db,
    'auth_delete_token',
    `delete from developer_tokens where owner_id = $1 and id = $2 returning ${tokenColumns}`,
    [ownerId, id],
  );

export const deleteTokens = (tx: Queryable, ownerId: string) =>
  rows(tx, 'auth_delete_tokens', 'delete from developer_tokens where owner_id = $1', [ownerId]);

/** Forgets sessions that have ended; safe to call at any moment. */
export const purgeSessions = (db: Queryable, now: Date, limit: number) =>
  changedRows(
    db,
    'auth_purge_sessions',
    `delete from sessions where token_hash in (
       select token_hash from sessions where expires_at < $1 order by expires_at limit $2 for update skip locked
     )`,
    [now.toISOString(), limit],
  );
