import { type Plan, type Queryable, row, rows } from '../platform/index.ts';

export interface TrustKeyRow {
  id: string;
  name: string;
  keyPrefix: string;
  createdAt: string;
  revokedAt: string | null;
}

const columns = `id, name, key_prefix as "keyPrefix", created_at as "createdAt", revoked_at as "revokedAt"`;

/** Makes requests of one owner that make keys take turns. */
export const lockOwner = (tx: Queryable, ownerId: string) =>
  row(tx, 'trust_lock_owner', 'select id from owners where id = $1 for no key update', [ownerId]);

export const countActiveKeys = async (tx: Queryable, ownerId: string): Promise<number> =>
  (
    await row<{ count: number }>(
      tx,
      'trust_count_keys',
      'select count(*) as count from trust_keys where owner_id = $1 and revoked_at is null',
      [ownerId],
    )
  )?.count ?? 0;

export const insertKey = (
  tx: Queryable,
  key: { id: string; ownerId: string; name: string; hash: Buffer; shownPrefix: string; at: Date },
) =>
  row<TrustKeyRow>(
    tx,
    'trust_insert_key',
    `insert into trust_keys (id, owner_id, name, key_hash, key_prefix, created_at) values ($1, $2, $3, $4, $5, $6)
     returning ${columns}`,
    [key.id, key.ownerId, key.name, key.hash, key.shownPrefix, key.at.toISOString()],
  );

/** Newest first, from below `beforeId`. */
export const listKeys = (db: Queryable, ownerId: string, beforeId: string | null, limit: number) =>
  rows<TrustKeyRow>(
    db,
    'trust_list_keys',
    `select ${columns} from trust_keys where owner_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [ownerId, beforeId, limit],
  );

/** Null where the owner has no such key; it cannot change until the transaction ends. */
export const lockKey = (tx: Queryable, ownerId: string, id: string) =>
  row<TrustKeyRow>(
    tx,
    'trust_lock_key',
    `select ${columns} from trust_keys where owner_id = $1 and id = $2 for update`,
    [ownerId, id],
  );

export const markRevoked = (tx: Queryable, id: string, at: Date) =>
  rows(tx, 'trust_revoke_key', 'update trust_keys set revoked_at = $2 where id = $1', [id, at.toISOString()]);

/** Keeps an owner's newest revoked keys, and forgets the others. */
export const forgetRevoked = (tx: Queryable, ownerId: string, kept: number) =>
  rows(
    tx,
    'trust_forget_revoked',
    `delete from trust_keys where id in (
       select id from trust_keys where owner_id = $1 and revoked_at is not null order by id desc offset $2
     )`,
    [ownerId, kept],
  );

export interface CredentialRow {
  hash: string;
  keyId: string;
  ownerId: string;
  plan: Plan;
  ownerStatus: 'active' | 'suspended';
}

/** Keys that are not revoked, by hash (hex). */
export const loadKeys = (db: Queryable, hashes: string[]) =>
  rows<CredentialRow>(
    db,
    'trust_load_keys',
    `select k.hash, t.id as "keyId", t.owner_id as "ownerId", o.plan, o.status as "ownerStatus"
     from unnest($1::text[]) as k(hash)
     cross join lateral (
       select id, owner_id from trust_keys where key_hash = decode(k.hash, 'hex') and revoked_at is null limit 1
     ) t
     cross join lateral (select plan, status from owners where id = t.owner_id and status <> 'deleted' limit 1) o`,
    [hashes],
  );
