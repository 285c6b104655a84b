import { changedRows, hasCome, type Queryable, row, rows } from '../../platform/index.ts';
import type { BuyersPolicies, Rules } from './rules.ts';

/** A stored policy. `agentId` is null for the owner-wide one. */
export interface PolicyRow extends Rules {
  subjectId: string;
  ownerId: string;
  agentId: string | null;
  version: number;
  updatedAt: string | null;
  /** What questions about submitted tasks are answered with at once. */
  defaultAnswer: string | null;
}

const ruleColumns = `per_transaction_max as "perTransactionMax", approval_threshold as "approvalThreshold",
  allowed_categories as "allowedCategories", operating_hours as "operatingHours", blocked_agents as "blockedAgents",
  blocked_owners as "blockedOwners", buyer_limits as "buyerLimits"`;
const columns = `subject_id as "subjectId", owner_id as "ownerId", agent_id as "agentId", version,
  updated_at as "updatedAt", default_answer as "defaultAnswer", ${ruleColumns}`;

/** SQL for the rules of an owner or agent as JSON; null where it has no policy, which costs one look into the key. */
export const rulesOf = (subject: string): string =>
  `(select to_json(p) from (select ${ruleColumns} from policies where subject_id = ${subject} limit 1) p)`;

/** SQL: a policy of the buyer bars task \`t\` from agent \`a\` (both with id and owner_id) at the moment. */
export const isBarred = (t: string, a: string): string => `exists (
  select from policies p where p.subject_id in (${t}.owner_id, ${t}.submitter_agent_id)
    and (not p.is_open or ${t}.queue <> all(p.allowed_categories) or ${t}.max_budget > p.per_transaction_max
      or ${a}.id = any(p.blocked_agents) or ${a}.owner_id = any(p.blocked_owners))
)`;

export const findPolicy = (db: Queryable, subjectId: string) =>
  row<PolicyRow>(db, 'policies_find', `select ${columns} from policies where subject_id = $1`, [subjectId]);

/** The policies that bind what an owner, or one of its agents, submits. */
export async function buyersPolicies(
  db: Queryable,
  ownerId: string,
  submitterAgentId: string | null,
): Promise<BuyersPolicies> {
  const found = await rows<PolicyRow>(
    db,
    'policies_of_buyer',
    `select ${columns} from policies where subject_id in ($1, $2)`,
    [ownerId, submitterAgentId],
  );
  const of = (id: string | null) => found.find(({ subjectId }) => subjectId === id) ?? null;
  return { ownerPolicy: of(ownerId), agentPolicy: of(submitterAgentId) };
}

/** What a policy answers questions about a task with: that of the agent that submitted it, else that of its owner. */
export const defaultAnswerFor = async (
  db: Queryable,
  { ownerId, submitterAgentId }: { ownerId: string; submitterAgentId: string | null },
): Promise<string | null> =>
  (
    await row<{ answer: string }>(
      db,
      'policies_default_answer',
      `select default_answer as answer from policies where subject_id in ($1, $2) and default_answer is not null
       order by agent_id is null limit 1`,
      [ownerId, submitterAgentId],
    )
  )?.answer ?? null;

/** Those of agents, by their ids. */
export const policiesOfAgents = (db: Queryable, ownerId: string, afterAgentId: string | null, limit: number) =>
  rows<PolicyRow>(
    db,
    'policies_of_agents',
    `select ${columns} from policies
     where owner_id = $1 and agent_id is not null and ($2::uuid is null or agent_id > $2) order by agent_id limit $3`,
    [ownerId, afterAgentId, limit],
  );

/** Whether a policy is within its hours, and how long that surely holds. */
export interface Openness {
  isOpen: boolean;
  checkedAt: string | null;
  checkAt: string | null;
}

/** Stores a policy in the place of the version before it; false where another one is there. */
export async function savePolicy(
  tx: Queryable,
  { subjectId, ownerId, agentId, version, updatedAt, ...rules }: PolicyRow,
  open: Openness,
): Promise<boolean> {
  const stored = await rows(
    tx,
    version === 1 ? 'policies_insert' : 'policies_update',
    version === 1
      ? `insert into policies (subject_id, owner_id, agent_id, version, per_transaction_max, approval_threshold,
           allowed_categories, operating_hours, blocked_agents, blocked_owners, is_open, checked_at, check_at, updated_at,
           buyer_limits, default_answer)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) on conflict do nothing returning version`
      : `update policies set version = $4, per_transaction_max = $5, approval_threshold = $6, allowed_categories = $7,
           operating_hours = $8, blocked_agents = $9, blocked_owners = $10, is_open = $11, checked_at = $12,
           check_at = $13, updated_at = $14, buyer_limits = $15, default_answer = $16
         where subject_id = $1 and owner_id = $2 and agent_id is not distinct from $3::uuid and version = $4 - 1
         returning version`,
    [
      subjectId,
      ownerId,
      agentId,
      version,
      rules.perTransactionMax,
      rules.approvalThreshold,
      rules.allowedCategories,
      rules.operatingHours && JSON.stringify(rules.operatingHours),
      rules.blockedAgents,
      rules.blockedOwners,
      open.isOpen,
      open.checkedAt,
      open.checkAt,
      updatedAt,
      rules.buyerLimits && JSON.stringify(rules.buyerLimits),
      rules.defaultAnswer,
    ],
  );
  return stored.length > 0;
}

/** Whether hours have begun or ended by the time `$1`, or the clock was set back. */
export const unchecked = `${hasCome('check_at', 'policies')} or (select max(checked_at) from policies) > $1`;

/** Policies whose openness must be looked at again, also where the clock was put back. */
export const lockUnchecked = (tx: Queryable, now: Date, limit: number) =>
  rows<PolicyRow & { isOpen: boolean }>(
    tx,
    'policies_unchecked',
    `select ${columns}, is_open as "isOpen" from policies where check_at <= $1 or checked_at > $1
     order by check_at limit $2 for update skip locked`,
    [now.toISOString(), limit],
  );

export const storeOpenness = (tx: Queryable, subjectId: string, { isOpen, checkedAt, checkAt }: Openness) =>
  changedRows(
    tx,
    'policies_store_openness',
    'update policies set is_open = $2, checked_at = $3, check_at = $4 where subject_id = $1',
    [subjectId, isOpen, checkedAt, checkAt],
  );
