import { ApiError, changedRows, type Queryable, rows } from '../../platform/index.ts';
import { type AgentBudget, agentBudgets, spentSince } from './agent-budget.ts';
import { crossings, tellBudgets } from './notices.ts';

/** What an agent spends of its owner's credits apart from tasks. It counts into the same sums. */
export interface OutsideSpending {
  /** A UUID, by which what comes back is found. */
  id: string;
  agentId: string;
  ownerId: string;
  cents: number;
  correlationId: string;
}

/** The budget of one agent at a time. The ledger's lock keeps others from spending meanwhile. */
const budgetOf = async (tx: Queryable, agentId: string, at: Date): Promise<AgentBudget | undefined> =>
  (await agentBudgets(tx, [{ position: 0, agentId, at: at.toISOString() }])).get(0);

/** Why an agent may not spend this much outside tasks, in cents; null if it may. Its threshold is asked for apart. */
export async function budgetObstacle(
  tx: Queryable,
  { agentId, cents }: { agentId: string; cents: number },
  at: Date,
): Promise<ApiError | null> {
  const budget = await budgetOf(tx, agentId, at);
  if (budget === undefined) return null;
  const { transactionMax, windows } = budget;
  if (transactionMax !== null && cents > transactionMax)
    return new ApiError('BUDGET_EXCEEDED', undefined, { limit: transactionMax, required: cents });
  const full = windows.find(({ limit, spent }) => cents > limit - spent);
  return full === undefined ? null : new ApiError('BUDGET_EXCEEDED', undefined, { ...full, required: cents });
}

/** Above which an agent's spending needs its owner's approval, by its budget; null for none. */
export const budgetThreshold = async (tx: Queryable, agentId: string, at: Date): Promise<number | null> =>
  (await budgetOf(tx, agentId, at))?.approvalThreshold ?? null;

/** Counts what an agent spends from now on, and tells its owner how far that takes its budget. */
export async function spendOutside(tx: Queryable, spending: OutsideSpending, at: Date): Promise<void> {
  const { id, agentId, ownerId, cents, correlationId } = spending;
  const before = await budgetOf(tx, agentId, at);
  await rows(
    tx,
    'budgets_spend_outside',
    'insert into agent_spendings (id, agent_id, cents, at) values ($1, $2, $3, $4)',
    [id, agentId, cents, at.toISOString()],
  );
  if (before === undefined) return;
  const after = spentSince(before, at.getTime(), [{ atMs: at.getTime(), cents }]);
  await tellBudgets(tx, crossings(before, after, { agentId, ownerId, correlationId, at: at.toISOString() }));
}

/** What came back counts no more. */
export async function settleOutside(tx: Queryable, id: string, cents: number): Promise<void> {
  const changed = await changedRows(
    tx,
    'budgets_settle_outside',
    'update agent_spendings set cents = $2 where id = $1',
    [id, cents],
  );
  if (changed !== 1) throw new Error(`nothing was spent under ${id}`);
}
