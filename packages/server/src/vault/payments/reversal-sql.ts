import { changedRows, type Queryable, row, rows } from '../../platform/index.ts';
import type { Reversal } from './pay-in.ts';

/** A reversal of a top-up, and what the pool has paid of it. Amounts are cents. */
export interface ReversalRow {
  id: string;
  amount: number;
  taken: number;
  state: Reversal['state'];
}

export const findReversal = (tx: Queryable, topUpId: string, ref: string) =>
  row<ReversalRow>(
    tx,
    'payments_find_reversal',
    'select id, amount, taken, state from top_up_reversals where top_up_id = $1 and processor_ref = $2',
    [topUpId, ref],
  );

export const insertReversal = (
  tx: Queryable,
  reversal: ReversalRow & { topUpId: string; ownerId: string; ref: string; kind: Reversal['kind']; at: Date },
) =>
  rows(
    tx,
    'payments_insert_reversal',
    `insert into top_up_reversals
       (id, top_up_id, owner_id, processor_ref, kind, amount, taken, state, created_at, undone_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, case when $8 = 'undone' then $9::timestamptz end)`,
    [
      reversal.id,
      reversal.topUpId,
      reversal.ownerId,
      reversal.ref,
      reversal.kind,
      reversal.amount,
      reversal.taken,
      reversal.state,
      reversal.at.toISOString(),
    ],
  );

/** False if it was undone before. */
export async function markUndone(tx: Queryable, id: string, at: Date): Promise<boolean> {
  const changed = await rows(
    tx,
    'payments_undo_reversal',
    `update top_up_reversals set state = 'undone', undone_at = $2 where id = $1 and state = 'standing' returning id`,
    [id, at.toISOString()],
  );
  return changed.length === 1;
}

export const wasHandled = async (db: Queryable, processor: string, eventId: string): Promise<boolean> =>
  (await row(db, 'payments_event_known', 'select 1 from processor_events where processor = $1 and id = $2', [
    processor,
    eventId,
  ])) !== null;

export const noteHandled = (db: Queryable, processor: string, eventId: string, at: Date) =>
  rows(
    db,
    'payments_event_handled',
    'insert into processor_events (processor, id, received_at) values ($1, $2, $3) on conflict do nothing',
    [processor, eventId, at.toISOString()],
  );

export const purgeHandled = (db: Queryable, before: Date, limit: number) =>
  changedRows(
    db,
    'payments_purge_events',
    `delete from processor_events where (processor, id) in (
       select processor, id from processor_events where received_at < $1 limit $2
     )`,
    [before.toISOString(), limit],
  );
