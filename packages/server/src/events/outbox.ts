import { type Queryable, row, rows, type Tx } from '../platform/index.ts';
import { expandEvents } from './expand.ts';
import { type LoggedEvent, type LoggedRow, loggedColumns } from './logged-event.ts';

/** How far a reader has come; see the migration. */
interface Place {
  seq: number;
  checked: number;
  writers: string[];
}

/**
 * The next events for a reader, oldest first; its place moves with the caller's transaction. An empty list means that
 * there are none now, that another transaction reads for it at the moment, or that an event may still come in between.
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
export async function readOutbox(tx: Tx, reader: string, limit: number): Promise<LoggedEvent[]> {
  const place = await lockPlace(tx, reader);
  if (place === null) return [];
  let { seq, checked } = place;
  // Asked before the events are read: what these have logged is visible once they have ended.
  let writers = place.writers.length === 0 ? [] : await stillWriting(tx, place.writers);
  let ready: LoggedRow[];
  for (;;) {
    const found = await eventsAfter(tx, seq, limit);
    ready = withoutGap(found, seq, writers.length === 0 ? checked : seq);
    if (ready.length > 0 || found.length === 0 || writers.length > 0) break;
    checked = found.at(-1)?.seq as number;
    writers = await writingNow(tx);
    // With nobody left, the missing events are rolled back, or visible to the next look.
    if (writers.length > 0) break;
  }
  seq = ready.at(-1)?.seq ?? seq;
  await movePlace(tx, reader, { seq, checked, writers });
  return expandEvents(ready);
}

/** The first events up to a number that is missing and, being past `settled`, may still come. */
function withoutGap(found: LoggedRow[], after: number, settled: number): LoggedRow[] {
  let before = after;
  const gap = found.findIndex(({ seq }) => {
    const isOpen = seq !== before + 1 && seq > settled;
    before = seq;
    return isOpen;
  });
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
  // Where somebody else has its row locked, an insert would wait for that.
  await rows(
    tx,
    'outbox_add_reader',
    `insert into outbox_readers (name) select $1 where not exists (select from outbox_readers where name = $1)
     on conflict do nothing`,
    [reader],
  );
  return lock();
}

const movePlace = (tx: Tx, reader: string, { seq, checked, writers }: Place) =>
  rows(
    tx,
    'outbox_move_place',
    `update outbox_readers set seq = $2, checked = $3, writers = $4
     where name = $1 and (seq, checked, writers) is distinct from ($2, $3, $4)`,
    [reader, seq, checked, writers],
  );

const eventsAfter = (db: Queryable, seq: number, limit: number) =>
  rows<LoggedRow>(db, 'outbox_events', `select ${loggedColumns} from events where seq > $1 order by seq limit $2`, [
    seq,
    limit,
  ]);

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
