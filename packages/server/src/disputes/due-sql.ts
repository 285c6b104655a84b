import { type Queryable, row, rows } from '../platform/index.ts';
import { isLeasable, type Lease } from './runs.ts';

/**
 * Disputes with a deadline that has passed: the seller's answer, the answer to a proof, or the operator's decision. None
 * is decided before all of its proofs were run.
 */
export const overdueDisputes = async (db: Queryable, now: Date, limit: number): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      db,
      'disputes_overdue',
      `select id from disputes d
       where due_at < $1 and (status = 'filed' or (status = 'under_review' and coalesce(proof_by, decide_by) < $1))
         and not exists (select from dispute_proofs p where p.dispute_id = d.id and p.due_at is not null)
       order by due_at limit $2`,
      [now.toISOString(), limit],
    )
  ).map(({ id }) => id);

export interface Leased {
  id: string;
  taskId: string;
  attempts: number;
}

/** Takes disputes whose delivery is to be assessed again, for one process only until the lease ends. */
export const leaseReassessments = (db: Queryable, lease: Lease) =>
  rows<Leased>(
    db,
    'disputes_lease',
    `update disputes set due_at = least($2, decide_by), attempts = attempts + 1, leased_by = $4
     where id in (
       select id from disputes x where ${isLeasable('id')} and status = 'under_review' and not reassessed
         and decide_by >= $1
       order by due_at limit $3 for update skip locked
     )
     returning id, task_id as "taskId", attempts`,
    lease,
  );

/** The new gate run is over; if it did not decide the dispute, the operator does. */
export const markReassessed = (tx: Queryable, id: string, assessmentId: string | null) =>
  rows(
    tx,
    'disputes_reassessed',
    `update disputes set reassessed = true, assessment_id = $2, due_at = least(decide_by, proof_by)
     where id = $1 and status = 'under_review'`,
    [id, assessmentId],
  );

/** It failed for a reason of ours and is tried again. */
export const postponeReassessment = (db: Queryable, id: string, until: Date) =>
  row(
    db,
    'disputes_postpone',
    `update disputes set due_at = least($2, decide_by), leased_by = null
     where id = $1 and status = 'under_review' and not reassessed`,
    [id, until.toISOString()],
  );

export interface NewAssessment {
  id: string;
  taskId: string;
  purpose: 'dispute' | 'appeal';
  score: number;
  passed: boolean;
  criteria: unknown;
  judge: unknown;
  at: Date;
}

export const insertAssessment = (tx: Queryable, made: NewAssessment) =>
  rows(
    tx,
    'courts_insert_assessment',
    `insert into assessments (id, task_id, purpose, score, passed, criteria, judge, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      made.id,
      made.taskId,
      made.purpose,
      made.score,
      made.passed,
      JSON.stringify(made.criteria),
      made.judge === null ? null : JSON.stringify(made.judge),
      made.at.toISOString(),
    ],
  );
