import {
  type AgreementStatus,
  type AgreementVerb,
  agreementTransitions,
  type Category,
  type DeliverableType,
  openAgreementStatuses,
} from '@agora-market/contract';
import { type Queryable, row, rows, sqlList } from '../platform/index.ts';

/** An agreement with its request and delivery. Ids are UUIDs, money is cents, times are ISO 8601. */
export interface AgreementRow {
  id: string;
  requestId: string;
  bidId: string | null;
  buyerAgentId: string;
  buyerOwnerId: string;
  sellerAgentId: string;
  sellerOwnerId: string;
  title: string;
  description: string;
  category: Category;
  price: number;
  feeBps: number;
  refunded: number;
  status: AgreementStatus;
  version: number;
  deadline: string;
  withdrawBy: string;
  startedAt: string | null;
  deliveredAt: string | null;
  acceptBy: string | null;
  decideBy: string | null;
  dueAt: string | null;
  attempts: number;
  disputeReason: string | null;
  disputeNote: string | null;
  endedBecause: EndedBecause | null;
  correlationId: string;
  createdAt: string;
  endedAt: string | null;
  deliverable: { type: DeliverableType; result: unknown; metadata: Record<string, unknown> } | null;
  assessmentId: string | null;
  qualityScore: number | null;
}

export type EndedBecause = 'accepted' | 'not_answered' | 'withdrawn' | 'not_delivered' | 'rejected' | 'dispute';

const columns = `a.id, a.request_id as "requestId", a.bid_id as "bidId", a.buyer_agent_id as "buyerAgentId",
  a.buyer_owner_id as "buyerOwnerId", a.seller_agent_id as "sellerAgentId", a.seller_owner_id as "sellerOwnerId",
  r.title, r.description, r.category, a.price, a.fee_bps as "feeBps", a.refunded, a.status, a.version, a.deadline,
  a.withdraw_by as "withdrawBy", a.started_at as "startedAt", a.delivered_at as "deliveredAt",
  a.accept_by as "acceptBy", a.decide_by as "decideBy", a.due_at as "dueAt", a.attempts,
  a.dispute_reason as "disputeReason", a.dispute_note as "disputeNote", a.ended_because as "endedBecause",
  a.correlation_id as "correlationId", a.created_at as "createdAt", a.ended_at as "endedAt",
  (select json_build_object('type', d.type, 'result', d.result, 'metadata', d.metadata)
   from deliverables d where d.agreement_id = a.id) as deliverable,
  s.id as "assessmentId", s.score as "qualityScore"`;
const joined = `from agreements a join work_requests r on r.id = a.request_id
  left join agreement_assessments s on s.agreement_id = a.id`;

export const agreementById = (db: Queryable, id: string) =>
  row<AgreementRow>(db, 'exchange_agreement', `select ${columns} ${joined} where a.id = $1`, [id]);

export const lockAgreement = (tx: Queryable, id: string) =>
  row<AgreementRow>(tx, 'exchange_lock_agreement', `select ${columns} ${joined} where a.id = $1 for update of a`, [id]);

export interface NewAgreement {
  id: string;
  requestId: string;
  bidId: string | null;
  buyerAgentId: string;
  buyerOwnerId: string;
  sellerAgentId: string;
  sellerOwnerId: string;
  price: number;
  feeBps: number;
  deadline: string;
  withdrawBy: string;
  correlationId: string;
  at: Date;
}

export const insertAgreement = (tx: Queryable, agreement: NewAgreement) =>
  rows(
    tx,
    'exchange_insert_agreement',
    `insert into agreements (id, request_id, bid_id, buyer_agent_id, buyer_owner_id, seller_agent_id, seller_owner_id,
       price, fee_bps, deadline, due_at, withdraw_by, correlation_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13)`,
    [
      agreement.id,
      agreement.requestId,
      agreement.bidId,
      agreement.buyerAgentId,
      agreement.buyerOwnerId,
      agreement.sellerAgentId,
      agreement.sellerOwnerId,
      agreement.price,
      agreement.feeBps,
      agreement.deadline,
      agreement.withdrawBy,
      agreement.correlationId,
      agreement.at.toISOString(),
    ],
  );

/** What a verb changes besides the status; what is left out stays. */
export interface AgreementChange {
  dueAt: Date | null;
  startedAt?: Date;
  deliveredAt?: Date;
  acceptBy?: Date;
  decideBy?: Date;
  disputeReason?: string;
  disputeNote?: string | null;
  refunded?: number;
  endedAt?: Date;
  endedBecause?: EndedBecause;
}

/** Moves an agreement by a verb; false where it is in no status that allows it. */
export async function moveAgreement(
  tx: Queryable,
  id: string,
  verb: AgreementVerb,
  change: AgreementChange,
): Promise<boolean> {
  const { from, to } = agreementTransitions[verb];
  const iso = (at: Date | undefined) => at?.toISOString() ?? null;
  const moved = await rows(
    tx,
    'exchange_move_agreement',
    `update agreements set status = coalesce($3, status), version = version + 1, due_at = $4,
       started_at = coalesce($5, started_at), delivered_at = coalesce($6, delivered_at),
       accept_by = coalesce($7, accept_by), decide_by = coalesce($8, decide_by),
       dispute_reason = coalesce($9, dispute_reason), dispute_note = coalesce($10, dispute_note),
       refunded = coalesce($11, refunded), ended_at = coalesce($12, ended_at),
       ended_because = coalesce($13, ended_because)
     where id = $1 and status = any($2) returning id`,
    [
      id,
      from,
      to,
      change.dueAt?.toISOString() ?? null,
      iso(change.startedAt),
      iso(change.deliveredAt),
      iso(change.acceptBy),
      iso(change.decideBy),
      change.disputeReason ?? null,
      change.disputeNote ?? null,
      change.refunded ?? null,
      iso(change.endedAt),
      change.endedBecause ?? null,
    ],
  );
  return moved.length === 1;
}

/** Open agreements of a seller; the ledger's lock keeps others from making one meanwhile. */
export const countOpenAgreements = async (tx: Queryable, sellerAgentId: string): Promise<number> =>
  (
    await row<{ count: number }>(
      tx,
      'exchange_count_agreements',
      `select count(*) as count from agreements
       where seller_agent_id = $1 and status in ${sqlList(openAgreementStatuses)}`,
      [sellerAgentId],
    )
  )?.count ?? 0;

/** A seller's agreements since a time, and those of them that it withdrew from. */
export const withdrawalsSince = async (tx: Queryable, sellerAgentId: string, since: Date) =>
  (await row<{ made: number; withdrawn: number }>(
    tx,
    'exchange_withdrawals',
    `select count(*) as made, count(*) filter (where ended_because = 'withdrawn') as withdrawn
     from agreements where seller_agent_id = $1 and created_at > $2`,
    [sellerAgentId, since.toISOString()],
  )) as { made: number; withdrawn: number };

/** Agreements for which it is time to act, deliveries that wait for the gate aside; the most overdue first. */
export const dueAgreements = async (db: Queryable, now: Date, limit: number): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      db,
      'exchange_due_agreements',
      `select id from agreements where due_at <= $1 and status <> 'delivered' order by due_at limit $2`,
      [now.toISOString(), limit],
    )
  ).map(({ id }) => id);

/** The earnings are out. */
export const clearDue = (tx: Queryable, id: string) =>
  rows(tx, 'exchange_clear_due', 'update agreements set due_at = null, version = version + 1 where id = $1', [id]);

/** Moves the deadlines of sellers later by a time in which no server was at work. */
export const postponeAgreements = (tx: Queryable, awayMs: number) =>
  rows(
    tx,
    'exchange_postpone',
    `update agreements set deadline = deadline + $1 * interval '1 ms', due_at = due_at + $1 * interval '1 ms',
       withdraw_by = withdraw_by + $1 * interval '1 ms'
     where status = 'active'`,
    [awayMs],
  );
