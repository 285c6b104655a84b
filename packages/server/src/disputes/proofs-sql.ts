import type { DisputeProof, ProofRequest, ProofSide } from '@agora-market/contract';
import { type Queryable, row, rows } from '../platform/index.ts';
import type { Side } from './parties.ts';
import { isLeasable, type Lease } from './runs.ts';

export interface NewProof extends ProofRequest {
  id: string;
  disputeId: string;
  taskId: string;
  side: Side;
  ownerId: string;
  at: Date;
}

/** Adds a proof to a dispute whose row is locked; gives how many the side has. */
export async function insertProof(tx: Queryable, made: NewProof): Promise<number> {
  const { id, disputeId, taskId, side, ownerId, checks, files, at } = made;
  const found = await row<{ count: number }>(
    tx,
    'dispute_proofs_insert',
    `with added as (
       insert into dispute_proofs (id, dispute_id, task_id, side, owner_id, checks, files, due_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
     )
     select 1 + count(*) as count from dispute_proofs where dispute_id = $2 and side = $4`,
    [id, disputeId, taskId, side, ownerId, JSON.stringify(checks), files && JSON.stringify(files), at.toISOString()],
  );
  return found?.count ?? 1;
}

/** Whether something can still be run over the input of a task. */
export const isInputKept = async (tx: Queryable, taskId: string, now: Date): Promise<boolean> =>
  (await row(tx, 'courts_input_kept', 'select 1 from tasks where id = $1 and input_expires_at > $2', [
    taskId,
    now.toISOString(),
  ])) !== null;

/** Oldest first. */
export const proofsOf = (db: Queryable, disputeId: string) =>
  rows<DisputeProof>(
    db,
    'dispute_proofs_of',
    `select side as by, checks, files, speaks_for as "speaksFor", why, on_input as "onInput",
       on_delivery as "onDelivery", created_at as "createdAt", ran_at as "ranAt"
     from dispute_proofs where dispute_id = $1 order by id`,
    [disputeId],
  );

/** Whom the proofs of a dispute speak for; null of each that was not run yet. */
export const verdictsOf = async (db: Queryable, disputeId: string): Promise<(ProofSide | null)[]> =>
  (
    await rows<{ speaksFor: ProofSide | null }>(
      db,
      'dispute_proofs_verdicts',
      'select speaks_for as "speaksFor" from dispute_proofs where dispute_id = $1',
      [disputeId],
    )
  ).map(({ speaksFor }) => speaksFor);

export type LeasedProof = ProofRequest &
  Pick<NewProof, 'id' | 'disputeId' | 'taskId' | 'ownerId' | 'side'> & { attempts: number };

export const leaseProofs = (db: Queryable, lease: Lease) =>
  rows<LeasedProof>(
    db,
    'dispute_proofs_lease',
    `update dispute_proofs set due_at = $2, attempts = attempts + 1, leased_by = $4
     where id in (
       select id from dispute_proofs x where ${isLeasable('id')} order by due_at limit $3 for update skip locked
     )
     returning id, dispute_id as "disputeId", task_id as "taskId", owner_id as "ownerId", side, checks, files, attempts`,
    lease,
  );

export const postponeProof = (db: Queryable, id: string, until: Date) =>
  rows(
    db,
    'dispute_proofs_postpone',
    'update dispute_proofs set due_at = $2, leased_by = null where id = $1 and ran_at is null',
    [id, until.toISOString()],
  );

/** The input of these tasks is erased: what proofs wrote over it and printed of it goes as well. */
export const eraseProofs = (db: Queryable) =>
  rows(
    db,
    'dispute_proofs_erase',
    `update dispute_proofs p set files = null, on_input = null, on_delivery = null
     where p.ran_at is not null and (p.files is not null or p.on_input is not null)
       and exists (select from tasks t where t.id = p.task_id and t.input_expires_at is null)`,
    [],
  );

/** How a proof ended. */
export type ProofEnd = Pick<DisputeProof, 'why' | 'onInput' | 'onDelivery'> & { speaksFor: ProofSide };

/** False if its end was stored already. */
export const markRun = async (tx: Queryable, id: string, end: ProofEnd, at: Date): Promise<boolean> =>
  (await row(
    tx,
    'dispute_proofs_ran',
    `update dispute_proofs set due_at = null, ran_at = $2, speaks_for = $3, why = $4, on_input = $5, on_delivery = $6
     where id = $1 and ran_at is null returning id`,
    [
      id,
      at.toISOString(),
      end.speaksFor,
      end.why,
      end.onInput && JSON.stringify(end.onInput),
      end.onDelivery && JSON.stringify(end.onDelivery),
    ],
  )) !== null;
