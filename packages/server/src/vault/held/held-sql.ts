import { changedRows, dayMs, type Queryable, row, rows } from '../../platform/index.ts';

export type PaymentKind = 'top_up' | 'withdrawal';

export interface HeldPaymentRow {
  id: string;
  kind: PaymentKind;
  ownerId: string;
  withdrawalId: string | null;
  amount: number;
  reason: string;
  status: 'open' | 'released' | 'refused';
  heldAt: string;
  decidedAt: string | null;
  decidedBy: string | null;
  decidedReason: string | null;
}

const columns = `id, kind, owner_id as "ownerId", withdrawal_id as "withdrawalId", amount, reason, status, held_at as "heldAt",
  decided_at as "decidedAt", decided_by as "decidedBy", decided_reason as "decidedReason"`;

type NewHeld = Pick<HeldPaymentRow, 'id' | 'kind' | 'ownerId' | 'withdrawalId' | 'amount' | 'reason'> & {
  /** Of the card or bank account. */
  instrument: string | null;
  at: Date;
};

/** False if a top-up of the owner waits already: the operator decides about what he sees, and not about a later try. */
export const insertHeld = async (tx: Queryable, held: NewHeld): Promise<boolean> =>
  (await changedRows(
    tx,
    'held_insert',
    `insert into held_payments (id, kind, owner_id, withdrawal_id, amount, reason, held_at, instrument)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (owner_id) where kind = 'top_up' and status = 'open' do nothing`,
    [
      ...[held.id, held.kind, held.ownerId, held.withdrawalId, held.amount, held.reason, held.at.toISOString()],
      held.instrument,
    ],
  )) === 1;

/** Those that wait, the longest first, after the given (held at, id). */
export const listOpenHeld = (db: Queryable, after: [string, string] | null, limit: number) =>
  rows<HeldPaymentRow>(
    db,
    'held_list_open',
    `select ${columns} from held_payments where status = 'open'
       and ($1::timestamptz is null or (held_at, id) > ($1, $2)) order by held_at, id limit $3`,
    [after?.[0], after?.[1], limit],
  );

/** All, or those of a status, newest first, before the given (held at, id). */
export const listHeld = (
  db: Queryable,
  status: HeldPaymentRow['status'] | null,
  before: [string, string] | null,
  limit: number,
) =>
  rows<HeldPaymentRow>(
    db,
    'held_list',
    `select ${columns} from held_payments where ($1::text is null or status = $1)
       and ($2::timestamptz is null or (held_at, id) < ($2, $3)) order by held_at desc, id desc limit $4`,
    [status, before?.[0], before?.[1], limit],
  );

/** Ids of what is held of an owner's withdrawals. */
export const listHeldWithdrawals = async (tx: Queryable, ownerId: string) =>
  (
    await rows<{ id: string }>(
      tx,
      'held_withdrawals_of',
      `select h.id from withdrawals w join held_payments h on h.withdrawal_id = w.id
       where w.owner_id = $1 and w.status = 'held' order by w.created_at, w.id`,
      [ownerId],
    )
  ).map(({ id }) => id);

export const lockHeld = (tx: Queryable, id: string) =>
  row<HeldPaymentRow>(tx, 'held_lock', `select ${columns} from held_payments where id = $1 for update`, [id]);

export const decideHeld = (
  tx: Queryable,
  id: string,
  decision: { status: 'released' | 'refused'; at: Date; by: string; reason: string },
) =>
  row<HeldPaymentRow>(
    tx,
    'held_decide',
    `update held_payments set status = $2, decided_at = $3, decided_by = $4, decided_reason = $5
     where id = $1 and status = 'open' returning ${columns}`,
    [id, decision.status, decision.at.toISOString(), decision.by, decision.reason],
  );

/**
 * Whether the operator has released a top-up within a day that covers this one: of the same card, and of an amount that
 * what the owner topped up by it since leaves room in.
 */
export const mayTopUp = async (
  tx: Queryable,
  { ownerId, instrument, amount }: { ownerId: string; instrument: string | null; amount: number },
  now: Date,
): Promise<boolean> =>
  (await row(
    tx,
    'held_may_top_up',
    `select from held_payments h where h.owner_id = $1 and h.kind = 'top_up' and h.status = 'released' and h.decided_at > $2
       and h.instrument is not distinct from $3 and h.amount >= $4 + (
         select coalesce(sum(u.amount), 0) from top_ups u where u.owner_id = h.owner_id and u.status <> 'failed'
           and u.created_at >= h.decided_at and u.instrument is not distinct from h.instrument
       )
     limit 1`,
    [ownerId, new Date(now.getTime() - dayMs).toISOString(), instrument, amount],
  )) !== null;
