import type { NotificationKind } from '@agora-market/contract';
import { changedRows, type Queryable, row, rows } from '../../platform/index.ts';
import type { Mails } from './allowance.ts';
import type { Choices } from './choice.ts';
import type { Daily } from './daily.ts';

export interface NotificationRow {
  id: string;
  nth: number;
  kind: NotificationKind;
  text: string;
  taskId: string | null;
  agentId: string | null;
  disputeId: string | null;
  at: string;
  readAt: string | null;
}

const columns = `id, nth, kind, text, task_id as "taskId", agent_id as "agentId",
  dispute_id as "disputeId", happened_at as at, read_at as "readAt"`;

/** Newest first, from below the number `before`. */
export const listOfOwner = (db: Queryable, ownerId: string, before: number | null, limit: number) =>
  rows<NotificationRow>(
    db,
    'notifications_list',
    `select ${columns} from notifications where owner_id = $1 and ($2::bigint is null or nth < $2)
     order by nth desc limit $3`,
    [ownerId, before, limit],
  );

export const listUnread = (db: Queryable, ownerId: string, before: number | null, limit: number) =>
  rows<NotificationRow>(
    db,
    'notifications_list_unread',
    `select ${columns} from notifications
     where owner_id = $1 and read_at is null and ($2::bigint is null or nth < $2) order by nth desc limit $3`,
    [ownerId, before, limit],
  );

export const countUnread = async (db: Queryable, ownerId: string): Promise<number> =>
  (
    await row<{ count: number }>(
      db,
      'notifications_unread',
      'select count(*) as count from notifications where owner_id = $1 and read_at is null',
      [ownerId],
    )
  )?.count ?? 0;

/** Null where the owner has no such notification. One that was read stays so since then. */
export const markRead = (tx: Queryable, ownerId: string, id: string, at: Date) =>
  row<NotificationRow>(
    tx,
    'notifications_read',
    `update notifications set read_at = coalesce(read_at, $3) where owner_id = $1 and id = $2 returning ${columns}`,
    [ownerId, id, at.toISOString()],
  );

export const markAllRead = (tx: Queryable, ownerId: string, at: Date) =>
  changedRows(
    tx,
    'notifications_read_all',
    'update notifications set read_at = $2 where owner_id = $1 and read_at is null',
    [ownerId, at.toISOString()],
  );

export const findPreferences = async (db: Queryable, ownerId: string): Promise<Choices> =>
  (
    await row<{ preferences: Choices }>(
      db,
      'notifications_preferences',
      'select preferences from notification_owners where owner_id = $1',
      [ownerId],
    )
  )?.preferences ?? {};

export const storePreferences = (tx: Queryable, ownerId: string, preferences: Choices) =>
  rows(
    tx,
    'notifications_store_preferences',
    `insert into notification_owners (owner_id, preferences) values ($1, $2)
     on conflict (owner_id) do update set preferences = excluded.preferences`,
    [ownerId, JSON.stringify(preferences)],
  );

/** An owner with what it has chosen, how many notifications it has had, and its mails. */
export interface Recipient extends Mails {
  ownerId: string;
  email: string;
  /** Whether the owner has shown that the address is its own. */
  isVerified: boolean;
  preferences: Choices;
  made: number;
  daily: Daily;
}

const recipientColumns = `n.owner_id as "ownerId", o.email,
  o.email_verified_at is not null as "isVerified", n.preferences, n.made, n.mailed, n.put_off as "putOff",
  n.digest_at as "digestAt", n.daily`;

/** Those of the owners that exist, locked in the order that all take. */
export async function lockRecipients(tx: Queryable, ownerIds: string[]): Promise<Recipient[]> {
  await rows(
    tx,
    'notifications_add_owners',
    `insert into notification_owners (owner_id) select id from owners where id = any($1::uuid[]) and status <> 'deleted' order by id
     on conflict do nothing`,
    [ownerIds],
  );
  return rows<Recipient>(
    tx,
    'notifications_lock_owners',
    `select ${recipientColumns} from notification_owners n join owners o on o.id = n.owner_id
     where n.owner_id = any($1::uuid[]) and o.status <> 'deleted' order by n.owner_id for update of n`,
    [ownerIds],
  );
}

/** Those whose digest is due; those that another server has at the moment are left out. One too far ahead is from a clock that was set back. */
export const lockDigests = (tx: Queryable, now: Date, latest: Date, limit: number) =>
  rows<Recipient>(
    tx,
    'notifications_digests',
    `select ${recipientColumns} from notification_owners n join owners o on o.id = n.owner_id
     where n.digest_at is not null and (n.digest_at <= $1 or n.digest_at > $2)
     order by n.digest_at limit $3 for update of n skip locked`,
    [now.toISOString(), latest.toISOString(), limit],
  );

/** Stores how many notifications owners have had, and their mails. */
export const storeRecipients = (tx: Queryable, all: readonly Recipient[]) =>
  rows(
    tx,
    'notifications_store_owners',
    `update notification_owners n set made = s.made, mailed = s.mailed, put_off = s.put_off, digest_at = s.digest_at,
       daily = s.daily
     from unnest($1::uuid[], $2::bigint[], $3::jsonb[], $4::jsonb[], $5::timestamptz[], $6::json[])
       as s(owner_id, made, mailed, put_off, digest_at, daily) where n.owner_id = s.owner_id`,
    [
      all.map(({ ownerId }) => ownerId),
      all.map(({ made }) => made),
      all.map(({ mailed }) => JSON.stringify(mailed)),
      all.map(({ putOff }) => JSON.stringify(putOff)),
      all.map(({ digestAt }) => digestAt),
      all.map(({ daily }) => JSON.stringify(daily)),
    ],
  );

export type NewNotification = Omit<NotificationRow, 'readAt'> & { ownerId: string };

/** Adds notifications, and deletes the oldest of an owner that has more than `kept`. */
export async function insertNotifications(tx: Queryable, all: readonly NewNotification[], kept: number): Promise<void> {
  await rows(
    tx,
    'notifications_insert',
    `insert into notifications (id, owner_id, nth, kind, text, task_id, agent_id, dispute_id, happened_at)
     select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::uuid[], $7::uuid[],
       $8::uuid[], $9::timestamptz[])`,
    [
      all.map(({ id }) => id),
      all.map(({ ownerId }) => ownerId),
      all.map(({ nth }) => nth),
      all.map(({ kind }) => kind),
      all.map(({ text }) => text),
      all.map(({ taskId }) => taskId),
      all.map(({ agentId }) => agentId),
      all.map(({ disputeId }) => disputeId),
      all.map(({ at }) => at),
    ],
  );
  const last = new Map(all.map(({ ownerId, nth }) => [ownerId, nth]));
  const full = [...last].filter(([, nth]) => nth > kept);
  if (full.length === 0) return;
  await rows(
    tx,
    'notifications_forget_surplus',
    // By ids, for joined to the list PostgreSQL reads the whole table.
    `delete from notifications where id = any(array(
       select n.id from unnest($1::uuid[], $2::bigint[]) as s(owner_id, nth) cross join lateral (
         select x.id from notifications x where x.owner_id = s.owner_id and x.nth <= s.nth order by x.nth limit 1000
       ) n
     ))`,
    [full.map(([id]) => id), full.map(([, nth]) => nth - kept)],
  );
}

/** Has notifications tell of several things instead of one. One that is read stays so. */
export const amendNotifications = (tx: Queryable, amended: ReadonlyMap<string, { text: string; at: string }>) =>
  rows(
    tx,
    'notifications_amend',
    `update notifications n set text = s.text, task_id = null, happened_at = s.at
     from unnest($1::uuid[], $2::text[], $3::timestamptz[]) as s(id, text, at) where n.id = s.id`,
    [[...amended.keys()], [...amended.values()].map(({ text }) => text), [...amended.values()].map(({ at }) => at)],
  );

/** Deletes those with ids before this one. */
export const forgetOld = (db: Queryable, firstId: string, limit: number) =>
  changedRows(
    db,
    'notifications_forget_old',
    `delete from notifications where id in (
       select id from notifications where id < $1 order by id limit $2 for update skip locked)`,
    [firstId, limit],
  );

export async function agentsById(
  db: Queryable,
  ids: string[],
): Promise<Map<string, { name: string; ownerId: string }>> {
  const found = await rows<{ id: string; name: string; ownerId: string }>(
    db,
    'notifications_agents',
    'select id, display_name as name, owner_id as "ownerId" from agents where id = any($1::uuid[])',
    [ids],
  );
  return new Map(found.map((agent) => [agent.id, agent]));
}
