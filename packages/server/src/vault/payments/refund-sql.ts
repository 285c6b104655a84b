import { type Queryable, row, rows } from '../../platform/index.ts';
import type { TopUpRow } from './top-up-sql.ts';

/** A refund that the operator has asked for. Amounts are cents. */
export interface RefundRow {
  id: string;
  topUpId: string;
  ownerId: string;
  amount: number;
  state: 'standing' | 'undone';
  /** The processor's name of it; null while it is not known, or where there is none. */
  ref: string | null;
  failure: string | null;
  /** The processor has not decided yet, as far as is known here. */
  isOpen: boolean;
  chargeRef: string;
}

const columns = `r.id, r.top_up_id as "topUpId", r.owner_id as "ownerId", r.amount, r.state, r.processor_ref as ref,
  r.failure, r.due_at is not null as "isOpen", u.processor_ref as "chargeRef"`;

export const findRefund = (db: Queryable, id: string) =>
  row<RefundRow>(
    db,
    'refunds_find',
    `select ${columns} from top_up_reversals r join top_ups u on u.id = r.top_up_id
     where r.id = $1 and r.processor is not null`,
    [id],
  );

/** The refund of a top-up that the processor has not decided, as far as is known here. */
export const findOpenRefund = (db: Queryable, topUpId: string) =>
  row<RefundRow>(
    db,
    'refunds_find_open',
    `select ${columns} from top_up_reversals r join top_ups u on u.id = r.top_up_id
     where r.top_up_id = $1 and r.due_at is not null`,
    [topUpId],
  );

/** A top-up, and what can still be refunded of it. */
export interface RefundableTopUp extends Pick<TopUpRow, 'id' | 'ownerId' | 'status' | 'correlationId'> {
  /** Charged and not yet returned to the card; negative after a dispute of a refunded charge. */
  left: number;
  hasOpenRefund: boolean;
}

export const findRefundable = (tx: Queryable, topUpId: string) =>
  row<RefundableTopUp>(
    tx,
    'refunds_find_top_up',
    `select u.id, u.owner_id as "ownerId", u.status, u.correlation_id as "correlationId",
       u.amount - coalesce(sum(r.amount), 0)::bigint as "left", count(r.due_at) > 0 as "hasOpenRefund"
     from top_ups u left join top_up_reversals r on r.top_up_id = u.id and r.state = 'standing'
     where u.id = $1 group by u.id`,
    [topUpId],
  );

/** Whether the owner's card would be charged again for a pool that has so little. */
export const wouldReload = async (tx: Queryable, ownerId: string, balance: number): Promise<boolean> =>
  (await row(
    tx,
    'refunds_would_reload',
    `select from auto_top_ups a join owners o on o.id = a.owner_id
     where a.owner_id = $1 and a.enabled and a.threshold > $2 and o.status = 'active'`,
    [ownerId, balance],
  )) !== null;

export interface NewRefund extends Pick<RefundRow, 'id' | 'topUpId' | 'ownerId' | 'amount'> {
  processor: string;
  reason: string;
  by: string;
  at: Date;
  /** When its outcome is asked for where the request that wrote it has not brought one. */
  dueAt: Date;
}

export const insertRefund = (tx: Queryable, made: NewRefund) =>
  rows(
    tx,
    'refunds_insert',
    `insert into top_up_reversals
       (id, top_up_id, owner_id, kind, amount, taken, state, processor, reason, asked_by, created_at, due_at)
     values ($1, $2, $3, 'refund', $4, $4, 'standing', $5, $6, $7, $8, $9)`,
    [
      made.id,
      made.topUpId,
      made.ownerId,
      made.amount,
      made.processor,
      made.reason,
      made.by,
      made.at.toISOString(),
      made.dueAt.toISOString(),
    ],
  );

/** The processor's name of a refund that it has not decided. */
export const noteRefundRef = (tx: Queryable, id: string, ref: string) =>
  rows(tx, 'refunds_note_ref', 'update top_up_reversals set processor_ref = $2 where id = $1 and due_at is not null', [
    id,
    ref,
  ]);

/** The money is with the cardholder, or will be. */
export const closeRefund = (tx: Queryable, id: string, ref: string) =>
  rows(tx, 'refunds_close', 'update top_up_reversals set processor_ref = $2, due_at = null where id = $1', [id, ref]);

/** The processor did not do it. */
export const failRefund = (tx: Queryable, id: string, ref: string | null, failure: string, at: Date) =>
  rows(
    tx,
    'refunds_fail',
    `update top_up_reversals set processor_ref = coalesce($2, processor_ref), failure = $3, state = 'undone',
       undone_at = $4, due_at = null where id = $1`,
    [id, ref, failure, at.toISOString()],
  );

/**
 * Takes refunds that are due to be asked about, and puts the next question off: by a minute, then twice as long each
 * time, up to six hours. So no other process asks meanwhile.
 */
export const claimDueRefunds = (db: Queryable, processor: string, now: Date, limit: number) =>
  rows<RefundRow>(
    db,
    'refunds_claim_due',
    `with due as materialized (
       select id from top_up_reversals where due_at <= $2 and processor = $1 order by due_at limit $3
       for update skip locked
     ) update top_up_reversals r set attempts = r.attempts + 1,
       due_at = $2::timestamptz + least(interval '1 minute' * power(2, least(r.attempts, 10)), interval '6 hours')
     from due, top_ups u where r.id = due.id and u.id = r.top_up_id returning ${columns}`,
    [processor, now.toISOString(), limit],
  );
