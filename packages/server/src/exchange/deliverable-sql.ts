import type { DeliverableType, JudgeOpinion } from '@agora-market/contract';
import type { Criterion, Verdict } from '../gate/index.ts';
import { type Queryable, row, rows } from '../platform/index.ts';

export const insertDeliverable = (
  tx: Queryable,
  delivery: { agreementId: string; type: DeliverableType; result: unknown; metadata: unknown; at: Date },
) =>
  rows(
    tx,
    'exchange_insert_deliverable',
    'insert into deliverables (agreement_id, type, result, metadata, created_at) values ($1, $2, $3, $4, $5)',
    [
      delivery.agreementId,
      delivery.type,
      JSON.stringify(delivery.result),
      JSON.stringify(delivery.metadata),
      delivery.at.toISOString(),
    ],
  );

/** Takes deliveries that wait for the gate, so that no other process does before the lease ends. */
export const leaseDelivered = (db: Queryable, now: Date, leaseMs: number, limit: number) =>
  rows<{ id: string; attempts: number }>(
    db,
    'exchange_lease_delivered',
    `update agreements set due_at = $2, attempts = attempts + 1 where id in (
       select id from agreements where status = 'delivered' and due_at <= $1 order by due_at limit $3
       for update skip locked
     ) returning id, attempts`,
    [now.toISOString(), new Date(now.getTime() + leaseMs).toISOString(), limit],
  );

export const postponeGate = (db: Queryable, id: string, until: Date) =>
  rows(db, 'exchange_postpone_gate', `update agreements set due_at = $2 where id = $1 and status = 'delivered'`, [
    id,
    until.toISOString(),
  ]);

export const insertAssessment = (tx: Queryable, verdict: Verdict & { id: string; agreementId: string; at: Date }) =>
  rows(
    tx,
    'exchange_insert_assessment',
    `insert into agreement_assessments (id, agreement_id, score, passed, criteria, judge, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      verdict.id,
      verdict.agreementId,
      verdict.score,
      verdict.passed,
      JSON.stringify(verdict.criteria),
      verdict.judge && JSON.stringify(verdict.judge),
      verdict.at.toISOString(),
    ],
  );

export interface AssessmentRow {
  id: string;
  agreementId: string;
  score: number;
  passed: boolean;
  criteria: Criterion[];
  judge: JudgeOpinion | null;
  createdAt: string;
  buyerAgentId: string;
  buyerOwnerId: string;
  sellerAgentId: string;
  sellerOwnerId: string;
}

export const assessmentById = (db: Queryable, id: string) =>
  row<AssessmentRow>(
    db,
    'exchange_assessment',
    `select s.id, s.agreement_id as "agreementId", s.score, s.passed, s.criteria, s.judge, s.created_at as "createdAt",
       a.buyer_agent_id as "buyerAgentId", a.buyer_owner_id as "buyerOwnerId", a.seller_agent_id as "sellerAgentId",
       a.seller_owner_id as "sellerOwnerId"
     from agreement_assessments s join agreements a on a.id = s.agreement_id where s.id = $1`,
    [id],
  );

/** Erases up to `limit` deliveries of agreements that ended before a time; gives how many. */
export const purgeDeliverables = async (db: Queryable, before: Date, limit: number): Promise<number> =>
  (
    await rows(
      db,
      'exchange_purge_deliverables',
      `delete from deliverables where agreement_id in (
         select d.agreement_id from deliverables d join agreements a on a.id = d.agreement_id
         where d.created_at < $1 and a.ended_at < $1 limit $2) returning agreement_id`,
      [before.toISOString(), limit],
    )
  ).length;
