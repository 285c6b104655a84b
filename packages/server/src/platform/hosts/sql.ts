import { advisoryLock } from '../postgres/advisory-locks.ts';
import { type Queryable, row, rows, type Tx } from '../postgres/db.ts';

/** A server process at work on the database. */
export interface Host {
  id: string;
  /** Its data directory. */
  store: string;
  /** Where other servers reach it; null if they cannot. */
  address: string | null;
}

export interface Seen extends Host {
  beats: number;
  /** The last migration that it knows; null for one from before servers said so. */
  migration: number | null;
  /** How many ordinary sandboxes of tasks it had room for when it said last that it lives. */
  room: number;
  /** How many it may have of them at most; 0 for one from before servers said so. */
  capacity: number;
  roles: readonly string[];
}

/** As it is found by one that starts. */
export interface LiveHost extends Omit<Seen, 'room' | 'capacity' | 'roles'> {
  process: string;
  secretMark: string;
  objectsMark: string;
  /** Since it said last that it lives, by the clock of the database. */
  silentMs: number;
}

/** A process that enters. */
interface Entrant extends Host {
  process: string;
  secretMark: string;
  objectsMark: string;
  roles: readonly string[];
  capacity: number;
  migration: number;
  functions: string;
}

/** Those that start do so one after the other. */
export const lockHosts = (tx: Tx) => rows(tx, 'hosts_lock', advisoryLock('hosts'));

export const liveHosts = (tx: Tx) =>
  rows<LiveHost>(
    tx,
    'hosts_standing',
    `select id, store, address, beats, migration, process, secret_mark as "secretMark", objects_mark as "objectsMark",
       (extract(epoch from clock_timestamp() - beat_at) * 1000)::int8 as "silentMs"
     from hosts where ended_at is null`,
  );

export const insertHost = (tx: Tx, host: Entrant, now: Date) =>
  rows(
    tx,
    'hosts_insert',
    `insert into hosts (id, store, address, process, secret_mark, objects_mark, roles, capacity, migration, functions,
       started_at, beat_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp())`,
    [
      ...[host.id, host.store, host.address, host.process, host.secretMark, host.objectsMark],
      ...[host.roles, host.capacity, host.migration, host.functions, now.toISOString()],
    ],
  );

export const setAddress = (db: Queryable, id: string, address: string) =>
  rows(db, 'hosts_set_address', 'update hosts set address = $2 where id = $1', [id, address]);

/** Milliseconds since any process said last that it lives, by the clock of the database; 0 where none ever did. */
export const silenceMs = async (tx: Tx): Promise<number> =>
  (
    await row<{ ms: number }>(
      tx,
      'hosts_silence',
      'select coalesce(extract(epoch from clock_timestamp() - max(beat_at)) * 1000, 0)::int8 as ms from hosts',
    )
  )?.ms ?? 0;

/** Writes the heartbeat of a process, with its room; `alive` is false if it was declared dead. Also returns the others. */
export async function beat(db: Queryable, id: string, room: number): Promise<{ alive: boolean; others: Seen[] }> {
  const found = await row<{ alive: boolean; others: Seen[] | null }>(
    db,
    'hosts_beat',
    `with mine as (
       update hosts set beats = beats + 1, beat_at = clock_timestamp(), room = $2
       where id = $1 and ended_at is null returning id
     )
     select exists (select from mine) as alive,
       (select json_agg(json_build_object('id', id, 'store', store, 'address', address, 'beats', beats, 'room', room,
          'capacity', capacity, 'roles', roles, 'migration', migration))
        from hosts where ended_at is null and id <> $1) as others`,
    [id, room],
  );
  return { alive: found?.alive ?? false, others: found?.others ?? [] };
}

/** False if it has ended already or has sent a heartbeat since: `beats` is the last count seen. */
export const endHost = async (db: Queryable, { id, beats }: Pick<Seen, 'id' | 'beats'>, now: Date): Promise<boolean> =>
  (
    await rows(
      db,
      'hosts_end',
      'update hosts set ended_at = $3 where id = $1 and beats = $2 and ended_at is null returning id',
      [id, beats, now.toISOString()],
    )
  ).length === 1;

/** The same where it says so itself. */
export const endOwnHost = (db: Queryable, id: string, now: Date) =>
  rows(db, 'hosts_end_own', 'update hosts set ended_at = $2 where id = $1 and ended_at is null', [
    id,
    now.toISOString(),
  ]);

/** For a copy of the database that nobody serves. */
export const endAllHosts = (db: Queryable, now: Date) =>
  rows(db, 'hosts_end_all', 'update hosts set ended_at = $1 where ended_at is null', [now.toISOString()]);

/** Long enough that no row still refers to it. */
const forgottenAfter = "interval '90 days'";

export const forgetHosts = (tx: Tx, now: Date) =>
  rows(tx, 'hosts_forget', `delete from hosts where ended_at < $1::timestamptz - ${forgottenAfter}`, [
    now.toISOString(),
  ]);
