import type { DisputeOutcome, DisputeStatus, TaskStatus, TaskType } from '@agora-market/contract';
import type { Criterion } from '../gate/index.ts';
import { type Queryable, row, rows } from '../platform/index.ts';
import type { MaybeParties, Parties, Side } from './parties.ts';

export interface StatementRow {
  by: Side;
  text: string;
  evidence: { label: string; text: string }[];
  createdAt: string;
}

export type DecidedBy = 'seller_silent' | 'reassessment' | 'proof' | 'operator' | 'operator_silent';

export interface DisputeRow extends Parties {
  id: string;
  taskId: string;
  status: DisputeStatus;
  respondBy: string;
  respondedAt: string | null;
  decideBy: string | null;
  /** When the proofs of one side decide; null while they do not. */
  proofBy: string | null;
  attempts: number;
  reassessed: boolean;
  assessmentId: string | null;
  outcome: DisputeOutcome | null;
  share: number | null;
  refunded: number;
  decidedBy: DecidedBy | null;
  note: string | null;
  correlationId: string;
  createdAt: string;
  resolvedAt: string | null;
  reason: string;
  /** The seller's first. */
  response: string | null;
  /** Of the disputed task. */
  price: number;
}

const said = (side: Side) =>
  `(select text from dispute_statements where dispute_id = d.id and side = '${side}' order by position limit 1)`;

const columns = `d.id, d.task_id as "taskId", d.owner_id as "ownerId", d.submitter_agent_id as "submitterAgentId",
  d.agent_id as "agentId", d.seller_id as "sellerId", d.status, d.respond_by as "respondBy",
  d.responded_at as "respondedAt", d.decide_by as "decideBy",
  d.proof_by as "proofBy", d.attempts, d.reassessed,
  d.assessment_id as "assessmentId", d.outcome, d.share, d.refunded, d.decided_by as "decidedBy", d.note,
  d.correlation_id as "correlationId", d.created_at as "createdAt", d.resolved_at as "resolvedAt",
  ${said('buyer')} as reason, ${said('seller')} as response,
  (select price from tasks where id = d.task_id) as price`;

export const disputeById = (db: Queryable, id: string) =>
  row<DisputeRow>(db, 'disputes_get', `select ${columns} from disputes d where d.id = $1`, [id]);

/** Nobody else changes it until the transaction ends. */
export async function lockDispute(tx: Queryable, id: string): Promise<DisputeRow | null> {
  await row(tx, 'disputes_lock', 'select id from disputes where id = $1 for update', [id]);
  return disputeById(tx, id);
}

export const isDisputed = async (db: Queryable, taskId: string): Promise<boolean> =>
  (await row(db, 'disputes_of_task', 'select id from disputes where task_id = $1', [taskId])) !== null;

export const statementsOf = (db: Queryable, id: string) =>
  rows<StatementRow>(
    db,
    'dispute_statements',
    `select side as by, text, evidence, created_at as "createdAt" from dispute_statements
     where dispute_id = $1 order by position`,
    [id],
  );

/** Adds a statement to a dispute whose row is locked; gives how many the side has made. */
export async function addStatement(
  tx: Queryable,
  statement: { disputeId: string; side: Side; text: string; evidence: StatementRow['evidence']; at: Date },
): Promise<number> {
  const { disputeId, side, text, evidence, at } = statement;
  const made = await row<{ count: number }>(
    tx,
    'dispute_statements_add',
    `with added as (
       insert into dispute_statements (dispute_id, position, side, text, evidence, created_at)
       select $1, count(*), $2, $3, $4, $5 from dispute_statements where dispute_id = $1
     )
     select 1 + count(*) as count from dispute_statements where dispute_id = $1 and side = $2`,
    [disputeId, side, text, JSON.stringify(evidence), at.toISOString()],
  );
  return made?.count ?? 1;
}

const parties = {
  owner: `(d.owner_id = $1 or d.seller_id = $1)`,
  agent: `(d.submitter_agent_id = $1 or d.agent_id = $1)`,
};

/** Newest first. */
export const disputesOf = (
  db: Queryable,
  whose: { kind: 'owner' | 'agent'; id: string },
  status: DisputeStatus | null,
  before: string | null,
  limit: number,
) =>
  rows<DisputeRow>(
    db,
    `disputes_of_${whose.kind}`,
    `select ${columns} from disputes d
     where ${parties[whose.kind]} and ($2::text is null or d.status = $2) and ($3::uuid is null or d.id < $3)
     order by d.id desc limit $4`,
    [whose.id, status, before, limit],
  );

/** Oldest first. */
export const disputesIn = (db: Queryable, status: DisputeStatus, after: string | null, limit: number) =>
  rows<DisputeRow>(
    db,
    'disputes_docket',
    `select ${columns} from disputes d
     where d.status = $1 and ($2::uuid is null or d.id > $2) order by d.id limit $3`,
    [status, after, limit],
  );

/** A task, with its seller where it has one. */
export interface LockedTask extends MaybeParties {
  id: string;
  taskType: TaskType;
  status: TaskStatus;
  price: number;
  feeBps: number;
  qualityScore: number | null;
  finishedAt: string | null;
  correlationId: string;
}

/** One that was delivered, so that it can be disputed. */
export type DisputedTask = LockedTask & Parties;

const taskColumns = `t.id, t.task_type as "taskType", t.owner_id as "ownerId", t.submitter_agent_id as "submitterAgentId",
  t.agent_id as "agentId", a.owner_id as "sellerId", t.status, t.price, t.fee_bps as "feeBps", t.quality_score as "qualityScore",
  t.finished_at as "finishedAt", t.correlation_id as "correlationId"`;

/** Also keeps others from changing it; the steps of tasks wait for the ledger's lock, which the caller holds. */
export const lockTask = (tx: Queryable, id: string) =>
  row<LockedTask>(
    tx,
    'courts_lock_task',
    `select ${taskColumns} from tasks t left join agents a on a.id = t.agent_id where t.id = $1 for update of t`,
    [id],
  );

export const insertDispute = (
  tx: Queryable,
  dispute: Parties & { id: string; taskId: string; froze: boolean; respondBy: string; correlationId: string; at: Date },
) =>
  rows(
    tx,
    'disputes_insert',
    `insert into disputes (id, task_id, owner_id, submitter_agent_id, agent_id, seller_id, froze, respond_by, due_at,
       correlation_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10)`,
    [
      dispute.id,
      dispute.taskId,
      dispute.ownerId,
      dispute.submitterAgentId,
      dispute.agentId,
      dispute.sellerId,
      dispute.froze,
      dispute.respondBy,
      dispute.correlationId,
      dispute.at.toISOString(),
    ],
  );

/** While a dispute is open, its proofs need the input of the task. Nothing happens where that is erased already. */
export const keepInput = (tx: Queryable, { id, taskId }: { id: string; taskId: string }, now: Date, until: Date) =>
  rows(
    tx,
    'disputes_keep_input',
    `with kept as (
       select input_expires_at from tasks where id = $2 and input_expires_at > $3
     ), noted as (
       update disputes set input_until = kept.input_expires_at from kept where id = $1
     )
     update tasks set input_expires_at = greatest(kept.input_expires_at, $4) from kept where id = $2`,
    [id, taskId, now.toISOString(), until.toISOString()],
  );

/** The dispute is over: the input goes when it would have gone without it, or at once. */
const releaseInput = (tx: Queryable, id: string, at: Date) =>
  rows(
    tx,
    'disputes_release_input',
    `update tasks t set input_expires_at = greatest(d.input_until, $2) from disputes d
     where d.id = $1 and d.input_until is not null and t.id = d.task_id and t.input_expires_at is not null`,
    [id, at.toISOString()],
  );

/** The seller has answered for the first time: the delivery is due to be assessed again at once. */
export const markAnswered = (tx: Queryable, id: string, at: Date, decideBy: string) =>
  rows(
    tx,
    'disputes_answered',
    `update disputes set status = 'under_review', responded_at = $2, due_at = $2, decide_by = $3 where id = $1`,
    [id, at.toISOString(), decideBy],
  );

/** Nothing is assessed again: it is the money that is missing, and the operator decides. */
export const markEscalated = (tx: Queryable, id: string, decideBy: string) =>
  rows(
    tx,
    'disputes_escalated',
    `update disputes set status = 'under_review', reassessed = true, due_at = least($2, proof_by), decide_by = $2
     where id = $1`,
    [id, decideBy],
  );

/** When one side's proofs decide; null if they do not. The end of a dispute that waits for its answer comes first. */
export const markProofBy = (tx: Queryable, id: string, proofBy: string | null) =>
  rows(
    tx,
    'disputes_proof_by',
    `update disputes set proof_by = $2, due_at = case when status = 'filed' then due_at else least(due_at, $2) end
     where id = $1 and status <> 'resolved'`,
    [id, proofBy],
  );

export interface Ruling {
  outcome: DisputeOutcome;
  /** The buyer's percentage, for `split`. */
  share: number | null;
  decidedBy: DecidedBy;
  note: string | null;
}

export async function markResolved(
  tx: Queryable,
  id: string,
  ruling: Ruling & { refunded: number; at: Date },
): Promise<void> {
  await rows(
    tx,
    'disputes_resolved',
    `update disputes set status = 'resolved', outcome = $2, share = $3, decided_by = $4, note = $5, refunded = $6,
       resolved_at = $7, due_at = null
     where id = $1`,
    [id, ruling.outcome, ruling.share, ruling.decidedBy, ruling.note, ruling.refunded, ruling.at.toISOString()],
  );
  await releaseInput(tx, id, ruling.at);
}

/** The final charge of the buyer. If all of it is returned, the task is refunded. */
export const chargeLess = (tx: Queryable, taskId: string, creditsCharged: number, status: TaskStatus) =>
  rows(tx, 'courts_charge_less', 'update tasks set credits_charged = $2, status = $3 where id = $1', [
    taskId,
    creditsCharged,
    status,
  ]);

/** Whether the agent's owner has deleted its account, so that nobody could take what the agent earns. */
export const isSellerGone = async (tx: Queryable, agentId: string): Promise<boolean> =>
  (await row(
    tx,
    'courts_seller_gone',
    `select 1 from agents a join owners o on o.id = a.owner_id where a.id = $1 and o.status = 'deleted'`,
    [agentId],
  )) !== null;

/** Notes that the buyer has paid, and ends an appeal that waits: it could win no more. Tells whether one had won. */
export async function markAccepted(tx: Queryable, id: string, at: Date): Promise<{ wasUpheld: boolean }> {
  const found = await row<{ wasUpheld: boolean }>(
    tx,
    'courts_accepted',
    `with paid as (
       update tasks set accepted_at = $2, credits_charged = price where id = $1
     ), appeal as (
       update appeals set status = 'upheld', decided_at = $2, due_at = null where task_id = $1 and status = 'pending'
     )
     select exists (select from appeals where task_id = $1 and status = 'upheld') as "wasUpheld"`,
    [id, at.toISOString()],
  );
  return { wasUpheld: found?.wasUpheld ?? false };
}

/** The score of the last verdict on a disputed delivery. */
export async function lastScore(db: Queryable, id: string): Promise<number> {
  const found = await row<{ score: number }>(
    db,
    'disputes_last_score',
    `select a.score from disputes d join tasks t on t.id = d.task_id
     join assessments a on a.id = coalesce(d.assessment_id, t.assessment_id) where d.id = $1`,
    [id],
  );
  if (!found) throw new Error('a disputed task has no assessment');
  return found.score;
}

/** Of an owner and its agents: how many of their disputes are open, and how many they have lost since a moment. */
export async function disputesBy(db: Queryable, ownerId: string, since: Date) {
  const found = await row<{ open: number; lost: number }>(
    db,
    'disputes_by_buyer',
    `select count(*) filter (where status <> 'resolved')::int as open,
       count(*) filter (where outcome in ('seller_wins', 'dismissed') and decided_by <> 'operator_silent'
         and resolved_at >= $2)::int as lost
     from disputes where owner_id = $1`,
    [ownerId, since.toISOString()],
  );
  return found ?? { open: 0, lost: 0 };
}

/** The delivery of a disputed task. */
export async function disputedDelivery(db: Queryable, taskId: string) {
  const found = await row<{
    id: string;
    agentId: string;
    status: TaskStatus;
    taskType: TaskType;
    input: Record<string, unknown>;
    output: Record<string, unknown> | null;
  }>(
    db,
    'disputes_delivery',
    `select id, agent_id as "agentId", status, task_type as "taskType", input, output from tasks where id = $1`,
    [taskId],
  );
  if (!found) throw new Error('a disputed task is gone');
  return found;
}

/** The rest of an assessed delivery: the task and the assessment that decided it. */
export const storedAssessment = (db: Queryable, taskId: string) =>
  row<{
    ownerId: string;
    taskType: TaskType;
    input: Record<string, unknown>;
    output: Record<string, unknown> | null;
    score: number;
    criteria: Criterion[];
  }>(
    db,
    'courts_stored_assessment',
    `select t.owner_id as "ownerId", t.task_type as "taskType", t.input, t.output, a.score, a.criteria
     from tasks t join assessments a on a.id = t.assessment_id where t.id = $1`,
    [taskId],
  );
