import type { EventType } from '@agora-market/contract';
import { type Queryable, row, rows, type Tx } from '../platform/index.ts';
import { type LoggedRow, loggedColumns } from './logged-event.ts';

/** How far a reader has come; see the migration. */
interface Place {
  seq: number;
  checked: number;
  writers: string[];
}

/** A row of the log with the number of the one before it, and its position among those that were looked at. */
interface Found extends LoggedRow {
  previous: number;
  nth: number;
}

interface Reading {
  /** As they are stored; `expandEvents` tells them one by one. */
  events: LoggedRow[];
  /** There may be more to read at once. */
  isMore: boolean;
}

/**
 * The next events for a reader, oldest first; its place moves with the caller's transaction. An empty list means that
 * there are none now, that another transaction reads for it at the moment, or that an event may still come in between.
 * `limit` says how many stored events are looked at; `wanted` which types, as they are stored, the reader gets.
 *
 * Every committed event is read once its transaction and those that were logging beside it have ended. What the caller
 * writes in the same transaction happens exactly once an event. What it does elsewhere happens at least once: after a
 * crash before the commit, the same events are read again.
 *
 * Numbers are given inside transactions, so a missing one was rolled back or is not committed yet. Whoever has it holds
 * a lock on the table from before it got the number until its end. The reader therefore notes who holds that lock, and
 * passes over the missing number only when all of them have ended. A transaction that stays open delays readers, and
 * loses them nothing. The log itself carries nothing for this: no column and no index.
 *
 * Each look must see what was committed before it, so the transaction is an ordinary one (read committed).
 * A reader begins with the first event. One that is to begin later gets its row in a migration.
 */
export async function readOutbox(
  tx: Tx,
  reader: string,
  limit: number,
  wanted: readonly EventType[] | null = null,
): Promise<Reading> {
  const place = await lockPlace(tx, reader);
  if (place === null) return { events: [], isMore: false };
  const run = place.writers.length === 0 ? await runAfter(tx, place.seq, limit) : null;
  if (run !== null && run.last - place.seq === run.count) {
    if (run.count === 0) return { events: [], isMore: false };
    const stored = await eventsUpTo(tx, place.seq, run.last, wanted);
    await movePlace(tx, reader, { ...place, seq: run.last });
    return { events: stored, isMore: run.count === limit };
  }
  let { seq, checked } = place;
  // Asked before the events are read: what these have logged is visible once they have ended.
  let writers = place.writers.length === 0 ? [] : await stillWriting(tx, place.writers);
  let found: Found[];
  let ready: Found[];
  for (;;) {
    found = await eventsAfter(tx, seq, limit, wanted);
    ready = withoutGap(found, writers.length === 0 ? checked : seq);
    if (ready.length > 0 || found.length === 0 || writers.length > 0) break;
    checked = found.at(-1)?.seq as number;
    writers = await writingNow(tx);
    // With nobody left, the missing events are rolled back, or visible to the next look.
    if (writers.length > 0) break;
  }
  seq = ready.at(-1)?.seq ?? seq;
  await movePlace(tx, reader, { seq, checked, writers });
  const events = ready.filter(({ type }) => wanted === null || wanted.includes(type));
  const isMore = ready.length > 0 && (ready.length < found.length || ready.at(-1)?.nth === limit);
  return { events, isMore };
}

/** The first events up to a number that is missing and, being past `settled`, may still come. */
function withoutGap(found: Found[], settled: number): Found[] {
  const gap = found.findIndex(({ seq, previous }) => seq !== previous + 1 && seq > settled);
  return gap < 0 ? found : found.slice(0, gap);
}

async function lockPlace(tx: Tx, reader: string): Promise<Place | null> {
  const lock = () =>
    row<Place>(
      tx,
      'outbox_lock_place',
      'select seq, checked, writers from outbox_readers where name = $1 for update skip locked',
      [reader],
    );
  const place = await lock();
  if (place) return place;
  await addReader(tx, reader);
  return lock();
}

/** Whether there are events that the reader has not read. */
export const unread = (reader: string): string =>
  `(select max(seq) from events) > coalesce((select seq from outbox_readers where name = '${reader}'), 0)`;

/** Gives a reader that has not read yet its row. Where somebody else has that row locked, an insert would wait for that. */
export const addReader = (tx: Queryable, reader: string) =>
  rows(
    tx,
    'outbox_add_reader',
    `insert into outbox_readers (name) select $1 where not exists (select from outbox_readers where name = $1)
     on conflict do nothing`,
    [reader],
  );

const movePlace = (tx: Tx, reader: string, { seq, checked, writers }: Place) =>
  rows(
    tx,
    'outbox_move_place',
    `update outbox_readers set seq = $2, checked = $3, writers = $4
     where name = $1 and (seq, checked, writers) is distinct from ($2, $3, $4)`,
    [reader, seq, checked, writers],
  );

/** How many events come next, and the number of the last of them. Where none is missing, the rest need not be looked at. */
const runAfter = (db: Queryable, seq: number, limit: number) =>
  row<{ count: number; last: number }>(
    db,
    'outbox_run',
    `select count(*) as count, coalesce(max(seq), $1) as last
     from (select seq from events where seq > $1 order by seq limit $2) e`,
    [seq, limit],
  );

const eventsUpTo = (db: Queryable, seq: number, last: number, wanted: readonly EventType[] | null) =>
  rows<LoggedRow>(
    db,
    'outbox_events_up_to',
    `select ${loggedColumns} from events
     where seq > $1 and seq <= $2 and ($3::text[] is null or type = any($3)) order by seq`,
    [seq, last, wanted],
  );

/** Of what the reader does not want it gets the last, where a number is missing after it, and the last of all. */
const eventsAfter = (db: Queryable, seq: number, limit: number, wanted: readonly EventType[] | null) =>
  rows<Found>(
    db,
    'outbox_events',
    `select ${loggedColumns}, previous, nth from (
       select *, lag(seq, 1, $1) over w as previous, lead(seq) over w as next, row_number() over w as nth
       from (select * from events where seq > $1 order by seq limit $2) e window w as (order by seq)
     ) e where $3::text[] is null or type = any($3) or next is distinct from seq + 1 or previous <> seq - 1`,
    [seq, limit, wanted],
  );

/** Transactions, other than this one, that have logged an event or are about to. */
const writingNow = async (db: Queryable): Promise<string[]> =>
  (await rows<{ writer: string }>(db, 'outbox_writing', `select distinct virtualtransaction as writer ${logging}`)).map(
    ({ writer }) => writer,
  );

const stillWriting = async (db: Queryable, writers: string[]): Promise<string[]> => {
  const now = new Set(await writingNow(db));
  return writers.filter((writer) => now.has(writer));
};

/** An insert takes this lock before anything else, and keeps it to the end of its transaction. */
const logging = `from pg_locks
  where locktype = 'relation' and database = (select oid from pg_database where datname = current_database())
    and relation = 'events'::regclass and mode = 'RowExclusiveLock' and granted and pid is distinct from pg_backend_pid()`;
