import { type Queryable, row, rows } from '../../platform/index.ts';

/** A payout that we mean to make, are making or have made. Amounts are cents. */
export interface WithdrawalRow {
  id: string;
  agentId: string;
  ownerId: string;
  amount: number;
  processor: string;
  accountRef: string;
  /** `held`: it waits for the operator. */
  status: 'held' | 'pending' | 'paid' | 'failed';
  failure: string | null;
  /** The processor's id of the payout, once known. */
  payoutRef: string | null;
  correlationId: string;
  createdAt: string;
  resolvedAt: string | null;
}

const columns = `id, agent_id as "agentId", owner_id as "ownerId", amount, processor, account_ref as "accountRef", status,
  failure, processor_ref as "payoutRef", correlation_id as "correlationId", created_at as "createdAt", resolved_at as "resolvedAt"`;

export type NewWithdrawal = Omit<WithdrawalRow, 'status' | 'failure' | 'payoutRef' | 'createdAt' | 'resolvedAt'> & {
  /** Of the bank account, and of the network of the caller. */
  instrument: string | null;
  address: string | null;
  at: Date;
  /** When its outcome is asked for where the request that wrote it has not brought one; null of one that is held. */
  dueAt: Date | null;
};

/** Writes the intent; null if one of this id was written before. */
export const insertWithdrawal = (tx: Queryable, made: NewWithdrawal) =>
  row<WithdrawalRow>(
    tx,
    'payouts_insert_withdrawal',
    `insert into withdrawals
       (id, agent_id, owner_id, amount, processor, account_ref, correlation_id, created_at, due_at, status, instrument,
        address)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, case when $9::timestamptz is null then 'held' else 'pending' end, $10, $11)
     on conflict (id) do nothing returning ${columns}`,
    [
      made.id,
      made.agentId,
      made.ownerId,
      made.amount,
      made.processor,
      made.accountRef,
      made.correlationId,
      made.at.toISOString(),
      made.dueAt?.toISOString() ?? null,
      made.instrument,
      made.address,
    ],
  );

export const findWithdrawal = (db: Queryable, id: string) =>
  row<WithdrawalRow>(db, 'payouts_find_withdrawal', `select ${columns} from withdrawals where id = $1`, [id]);

/** A withdrawal of an owner, other than this, that waits for the operator. */
export const findHeldWithdrawal = (tx: Queryable, ownerId: string, otherThan: string) =>
  row<{ id: string }>(
    tx,
    'payouts_find_held',
    `select id from withdrawals where owner_id = $1 and status = 'held' and id <> $2 limit 1`,
    [ownerId, otherThan],
  );

/** Newest first, before the given (created at, id). */
export const listWithdrawals = (db: Queryable, ownerId: string, before: [string, string] | null, limit: number) =>
  rows<WithdrawalRow>(
    db,
    'payouts_list_withdrawals',
    `select ${columns} from withdrawals where owner_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
     order by created_at desc, id desc limit $4`,
    [ownerId, before?.[0], before?.[1], limit],
  );

/** The processor's name of a payout that is on its way. */
export const noteRef = (db: Queryable, id: string, ref: string) =>
  rows(
    db,
    'payouts_note_ref',
    'update withdrawals set processor_ref = $2 where id = $1 and processor_ref is distinct from $2',
    [id, ref],
  );

/** Result of a withdrawal. `dueAt` is set if the bank may still return the money. */
export interface Resolution {
  status: 'paid' | 'failed';
  processorRef: string | null;
  failure: string | null;
  at: Date;
  dueAt: Date | null;
}

export const resolveWithdrawal = (tx: Queryable, id: string, resolution: Resolution) =>
  rows(
    tx,
    'payouts_resolve_withdrawal',
    `update withdrawals set status = $2, processor_ref = coalesce($3, processor_ref), failure = $4, resolved_at = $5,
       due_at = $6, attempts = 0 where id = $1`,
    [
      id,
      resolution.status,
      resolution.processorRef,
      resolution.failure,
      resolution.at.toISOString(),
      resolution.dueAt?.toISOString() ?? null,
    ],
  );

/** A held withdrawal is sent by the sweep from now on. */
export const sendHeld = (tx: Queryable, id: string, at: Date) =>
  rows(
    tx,
    'payouts_send_held',
    `update withdrawals set status = 'pending', due_at = $2 where id = $1 and status = 'held'`,
    [id, at.toISOString()],
  );

/** A paid withdrawal is not asked about any more. */
export const endQuestions = (db: Queryable, id: string) =>
  rows(db, 'payouts_end_questions', `update withdrawals set due_at = null where id = $1 and status = 'paid'`, [id]);

/**
 * Takes withdrawals that are due to be asked about, and puts the next question off: by a minute, then twice as long each
 * time, up to six hours. So no other process asks meanwhile, and a payout that takes days is not asked about all the time.
 */
export const claimDue = (db: Queryable, processor: string, now: Date, limit: number) =>
  rows<WithdrawalRow>(
    db,
    'payouts_claim_due',
    `update withdrawals set attempts = attempts + 1,
       due_at = $2::timestamptz + least(interval '1 minute' * power(2, least(attempts, 10)), interval '6 hours')
     where id in (
       select id from withdrawals where due_at <= $2 and processor = $1 order by due_at limit $3 for update skip locked
     ) returning ${columns}`,
    [processor, now.toISOString(), limit],
  );
