import { type Category, categoryOf, type TaskType } from '@agora-market/contract';
import {
  approvalLimit,
  type BuyersPolicies,
  blockedAgent,
  brokenRule,
  type Denial,
  mayTake,
  rulesOf,
  stillPending,
} from '../../embassy/index.ts';
import { type Decisions, defineStep, type Queryable, rows, sqlFile, stale, together } from '../../platform/index.ts';
import {
  type AgentBudget,
  agentBudgets,
  type Exceeded,
  exceededBy,
  type Spending,
  spentSince,
} from '../budgets/agent-budget.ts';
import { type BudgetNotice, crossings, tellBudgets } from '../budgets/notices.ts';
import { openOffers } from '../messages/sql.ts';
import { queuedOf } from '../queue/sql.ts';
import { add, type Candidate, candidateColumns, joinCandidate, joinStillFree, type OpenTasks } from './candidate.ts';

export interface SubmitItem {
  id: string;
  /** All attempts at the task, this one included; none for a task that is alone. */
  groupTasks?: string[];
  ownerId: string;
  submitterAgentId: string | null;
  /** Null for a task that waits for an agent; `queue` says where. */
  agentId: string | null;
  queue: Category | null;
  /**
   * True if the platform routed the task, so that the agent's capacity counts. A direct hire may queue and uses no
   * capacity before its start. Otherwise anybody could block an agent by hiring it for a cent.
   */
  routed: boolean;
  /** Why the platform chose the agent; null where the submitter named it. */
  routing: unknown;
  taskType: TaskType;
  maxBudget: number;
  price: number;
  /** The platform's share of the price, in basis points. */
  feeBps: number;
  /** List price that `price` was agreed on, in cents; null for none. Where the agent has changed it, so says the outcome. */
  baseRate: number | null;
  input: unknown;
  inputExpiresAt: string;
  /** By when the agent must start, or by when a task that waits must have one. */
  dueAt: string;
  deadlineMs: number;
  correlationId: string;
  /** The pending request that its owner approves with it; null for none. */
  approvalId: string | null;
  /** The open change request that its agent accepts with it, and the task that has it; null for none. */
  offerId: string | null;
  offerTaskId: string | null;
  /** What the event of that decision says, for auditors; null where nothing waits for one. */
  decision: object | null;
  /** How many tasks of the owner may wait at once; counts for one that is to wait. */
  mostQueued: number;
  at: string;
}

export interface SubmitOutcome {
  outcome:
    | 'ok'
    | 'short'
    | 'agent_full'
    | 'agent_gone'
    | 'agent_changed'
    | 'agent_blocked'
    | 'agent_refuses'
    | 'policy_denied'
    | 'queue_full'
    | 'over_budget'
    | 'needs_approval'
    | 'already_decided';
  /** For `short`: what the pool could spend, in cents. */
  available?: number;
  /** For `over_budget`. */
  exceeded?: Exceeded;
  /** The approval threshold that the item exceeds, in cents; for `queue_full` the number of tasks. */
  limit?: number;
  /** For `policy_denied` and `agent_blocked`: the rule of the submitter. */
  denial?: Denial;
}

/** Facts for deciding a submission. */
export interface SubmitState extends BuyersPolicies {
  /** What the owner's pool can spend, in cents; negative if the owner owes. */
  available: number;
  candidate: Candidate;
  /** Null if no agent submits. */
  budget: AgentBudget | null;
  /** Approval requests and offers that still wait for a decision. */
  pending: ReadonlySet<string>;
  /** Tasks of the owner that wait for agents. */
  queued: number;
}

/**
 * Whether a task is accepted. If several refusals apply, the first one here is the caller's error. `required` is what its
 * submission holds in all, in cents: of several attempts each is decided as if it had to pay for all of them.
 */
export function decideSubmit(state: SubmitState, item: SubmitItem, required = item.maxBudget): SubmitOutcome {
  const { available, candidate, budget, pending, queued } = state;
  const { routed, approvalId, agentId } = item;
  const decides = decidedBy(item);
  if (decides !== null && !pending.has(decides)) return { outcome: 'already_decided' };
  const refusal = policyRefusal(state, item, required);
  if (refusal !== null) return refusal;
  const exceeded = budget && exceededBy(budget, required);
  if (exceeded !== null) return { outcome: 'over_budget', exceeded };
  const threshold = item.submitterAgentId === null ? null : approvalLimit(state, budget?.approvalThreshold ?? null);
  if (approvalId === null && threshold !== null && required > threshold)
    return { outcome: 'needs_approval', limit: threshold };
  if (agentId === null && queued >= item.mostQueued) {
    return { outcome: 'queue_full', limit: item.mostQueued };
  }
  if (required > available) return { outcome: 'short', available: Math.max(0, available) };
  if (routed && candidate.openTasks >= candidate.capacity) return { outcome: 'agent_full' };
  return { outcome: 'ok' };
}

/** What waits for a decision that the submission is. */
const decidedBy = ({ approvalId, offerId }: SubmitItem) => approvalId ?? offerId;

/** What the submitter's rules, the agent, and the rules of the agent say against the task. */
function policyRefusal(state: SubmitState, item: SubmitItem, required: number): SubmitOutcome | null {
  const { agentId, ownerId, submitterAgentId } = item;
  const { candidate } = state;
  const task = { category: categoryOf(item.taskType), required, at: new Date(item.at), ownerId, submitterAgentId };
  const denial = brokenRule(state, task);
  if (denial !== null) return { outcome: 'policy_denied', denial };
  if (agentId === null) return null;
  if (!candidate.isActive) return { outcome: 'agent_gone' };
  if (candidate.baseRate !== item.baseRate) return { outcome: 'agent_changed' };
  const blocked = blockedAgent(state, agentId, candidate.agentOwnerId);
  if (blocked !== null) return { outcome: 'agent_blocked', denial: blocked };
  return mayTake(candidate, task) && candidate.takesBuyer ? null : { outcome: 'agent_refuses' };
}

/** Decides each submission by the stored facts and by what earlier ones take. One with several attempts is taken whole. */
async function decideSubmits(db: Queryable, submissions: SubmitItem[][]): Promise<Decisions<SubmitOutcome>> {
  const items = submissions.flat();
  const [found, budgets, pending, queued] = await Promise.all([
    statesOf(db, items),
    budgetsOf(db, items),
    pendingOf(db, items),
    queuedBefore(db, items),
  ]);
  const held = new Map<string, number>();
  const opened: OpenTasks = new Map();
  const spent = new Map<string, Spending[]>();
  const spendings = ({ submitterAgentId }: SubmitItem) => {
    const own = spent.get(submitterAgentId as string) ?? [];
    spent.set(submitterAgentId as string, own);
    return own;
  };
  const notices: BudgetNotice[] = [];
  const decide = (item: SubmitItem, at: number, required: number) => {
    const { available, ownerPolicy, agentPolicy, ...candidate } = found[at] as Known;
    const budget = budgets.get(at);
    return decideSubmit(
      {
        ...{ ownerPolicy, agentPolicy },
        available: available - (held.get(item.ownerId) ?? 0),
        candidate: { ...candidate, openTasks: candidate.openTasks + (opened.get(item.agentId ?? '') ?? 0) },
        budget: budget === undefined ? null : spentSince(budget, Date.parse(item.at), spendings(item)),
        pending,
        queued: queued.get(item.ownerId) ?? 0,
      },
      item,
      required,
    );
  };
  const take = (item: SubmitItem) => {
    add(held, item.ownerId, item.maxBudget);
    if (item.agentId === null) add(queued, item.ownerId, 1);
    else if (item.routed) add(opened, item.agentId, 1);
    if (item.submitterAgentId !== null) spendings(item).push({ atMs: Date.parse(item.at), cents: item.maxBudget });
    pending.delete(decidedBy(item) ?? '');
  };
  let next = 0;
  const outcomes = submissions.map((attempts): SubmitOutcome => {
    const required = attempts.reduce((sum, { maxBudget }) => sum + maxBudget, 0);
    const decided = attempts.map((item) => decide(item, next++, required));
    const refusal = decided.find(({ outcome }) => outcome !== 'ok');
    if (refusal === undefined) for (const item of attempts) take(item);
    else notices.push(...refusalNotices(refusal, attempts[0], required));
    return refusal ?? { outcome: 'ok' };
  });
  notices.push(...spendingNotices(items, budgets, spent));
  return { outcomes, ...(notices.length > 0 && { besides: (tx) => tellBudgets(tx, notices) }) };
}

/** Whose notice a submission causes. */
const about = ({ ownerId, submitterAgentId, correlationId, at }: SubmitItem) => ({
  ...{ agentId: submitterAgentId as string, ownerId, correlationId, at },
});

/** A rolling limit that a submission would exceed is used up for it. */
const refusalNotices = (
  { exceeded }: SubmitOutcome,
  item: SubmitItem | undefined,
  required: number,
): BudgetNotice[] => {
  if (exceeded === undefined || exceeded.window === 'transaction' || item === undefined) return [];
  const { window, limit, spent } = exceeded;
  return [{ ...about(item), window, percent: 100, limit, spent, refused: required }];
};

/** How far each agent has come with its budget by what the batch takes. */
const spendingNotices = (
  items: SubmitItem[],
  budgets: ReadonlyMap<number, AgentBudget>,
  spent: ReadonlyMap<string, Spending[]>,
): BudgetNotice[] => {
  const left = new Map(spent);
  return items.flatMap((item, at) => {
    const before = budgets.get(at);
    const more = left.get(item.submitterAgentId ?? '');
    if (before === undefined || more === undefined) return [];
    left.delete(item.submitterAgentId as string);
    return crossings(before, spentSince(before, Date.parse(item.at), more), about(item));
  });
};

/** For submissions that decide nothing nothing is looked up. */
async function pendingOf(db: Queryable, items: SubmitItem[]): Promise<Set<string>> {
  const approvals = items.flatMap(({ approvalId }) => approvalId ?? []);
  const offers = items.flatMap(({ offerId }) => offerId ?? []);
  return new Set([
    ...(approvals.length === 0 ? [] : await stillPending(db, approvals)),
    ...(offers.length === 0 ? [] : await openOffers(db, offers)),
  ]);
}

/** Where none of the items is to wait nothing is looked up. */
async function queuedBefore(db: Queryable, items: SubmitItem[]): Promise<Map<string, number>> {
  const owners = items.flatMap(({ agentId, ownerId }) => (agentId === null ? ownerId : []));
  return owners.length === 0 ? new Map() : queuedOf(db, owners);
}

type Known = Candidate & BuyersPolicies & Pick<SubmitState, 'available'>;

const statesOf = (db: Queryable, items: SubmitItem[]) =>
  rows<Known>(
    db,
    'tasks_submit_states',
    `select coalesce(p.available, 0)::bigint as available, ${candidateColumns},
       ${rulesOf('i.owner')} as "ownerPolicy",
       case when i.submitter is not null then ${rulesOf('i.submitter')} end as "agentPolicy"
     from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality as i(owner, agent, submitter, ord)
     left join lateral (
       select balance - owed as available from ledger_accounts where holder = i.owner and kind = 'pool_available'
     ) p on true
     ${joinCandidate('i.agent', 'i.owner')}
     order by i.ord`,
    [
      items.map(({ ownerId }) => ownerId),
      items.map(({ agentId }) => agentId),
      items.map(({ submitterAgentId }) => submitterAgentId),
    ],
  );

/** By position in the batch. For owners' items nothing is looked up. */
async function budgetsOf(db: Queryable, items: SubmitItem[]): Promise<Map<number, AgentBudget>> {
  const spenders = items.flatMap(({ submitterAgentId, at }, position) =>
    submitterAgentId === null ? [] : [{ position, agentId: submitterAgentId, at }],
  );
  return spenders.length === 0 ? new Map() : agentBudgets(db, spenders);
}

/**
 * Stores tasks and holds their budgets, with the approvals and offers that they decide. TypeScript decides what a batch
 * holds. The function refuses as stale what an owner can no longer pay, an agent no longer take or spend, or somebody else
 * has decided.
 */
export const submitStep = defineStep<SubmitItem, SubmitOutcome>({
  name: 'tasks_submit',
  key: (item) => item.id,
  locks: ({ ownerId, agentId, routed, offerTaskId }) => ({
    owners: [ownerId],
    agents: routed && agentId !== null ? [agentId] : [],
    tasks: offerTaskId === null ? [] : [offerTaskId],
  }),
  topics: ({ id, agentId }, { outcome }) =>
    outcome === 'ok' ? [`task:${id}`, ...(agentId === null ? [] : [`agent:${agentId}`])] : [],
  decide: (db, items) =>
    decideSubmits(
      db,
      items.map((item) => [item]),
    ),
  sql: sqlFile(import.meta.url, 'submit.sql', {
    joinStillFree: joinStillFree('i."agentId"', 'i."baseRate"', 'case when i.routed then i.opened end'),
    stale,
  }),
});

/** Stores all attempts at a task, or none. */
export const submitTogetherStep = together(submitStep, decideSubmits);
