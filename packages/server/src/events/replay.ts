import type { EventType } from '@agora-market/contract';
import { type Queryable, row, rows } from '../platform/index.ts';
import { type LoggedRow, loggedColumns } from './logged-event.ts';
import { addReader } from './outbox.ts';

/** The last stored event that a reader has taken; 0 before the first. */
export const placeOf = async (db: Queryable, reader: string): Promise<number> =>
  (await row<{ seq: number }>(db, 'events_place', 'select seq from outbox_readers where name = $1', [reader]))?.seq ??
  0;

/** Keeps a reader from taking events until the transaction ends, however long that takes. */
export async function holdReader(tx: Queryable, reader: string): Promise<void> {
  await tx.query('set local statement_timeout = 0');
  await tx.query('set local idle_in_transaction_session_timeout = 0');
  // One that has not read yet has no row to lock.
  await addReader(tx, reader);
  await row(tx, 'events_hold_reader', 'select from outbox_readers where name = $1 for update', [reader]);
}

/** Stored events of some types up to one, oldest first, so many at once. */
export async function* replay(
  db: Queryable,
  { until, limit, wanted }: { until: number; limit: number; wanted: readonly EventType[] },
): AsyncGenerator<{ events: LoggedRow[]; seq: number }> {
  for (let seq = 0; ; ) {
    const stored = await rows<LoggedRow>(
      db,
      'events_replay',
      `select ${loggedColumns} from events where seq > $1 and seq <= $2 and type = any($3) order by seq limit $4`,
      [seq, until, wanted, limit],
    );
    const last = stored.at(-1);
    if (last === undefined) return;
    seq = last.seq;
    yield { events: stored, seq };
  }
}
