import { changedRows, type Queryable, rows } from '../../platform/index.ts';
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
export async function budgetNow(tx: Queryable, agentId: string, at: Date): Promise<AgentBudget> {
  return (await agentBudgets(tx, [{ position: 0, agentId, at: at.toISOString() }])).get(0) as AgentBudget;
}

/** Counts what an agent with this budget spends from now on, and tells its owner how far that takes the budget. */
export async function spendOutside(
  tx: Queryable,
  before: AgentBudget,
  spending: OutsideSpending,
  at: Date,
): Promise<void> {
  const { id, agentId, ownerId, cents, correlationId } = spending;
  await rows(
    tx,
    'budgets_spend_outside',
    'insert into agent_spendings (id, agent_id, cents, at) values ($1, $2, $3, $4)',
    [id, agentId, cents, at.toISOString()],
  );
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
