import { type Operations, toId } from '@agora/contract';
import { appendEvent } from '../../events/index.ts';
import { type Call, ensure, type OwnerCaller, type Pool, type Queryable } from '../../platform/index.ts';
import { requireOwnAgent } from '../../registry/index.ts';
import { findLimits, noLimits, saveLimits, spentBy } from './budget-sql.ts';

function requirePlan({ plan }: OwnerCaller): void {
  ensure(plan !== 'free', 'PLAN_REQUIRED', 'Budget controls require the pro or enterprise plan.', { plan });
}

async function budgetOf(db: Queryable, agentId: string, now: Date) {
  const limits = (await findLimits(db, agentId)) ?? noLimits;
  return { agentId: toId('agent', agentId), ...limits, spent: await spentBy(db, agentId, now) };
}

export async function getBudget(pool: Pool, { caller, params, now }: Call<Operations['vault.getBudget']>) {
  const agent = await requireOwnAgent(pool, caller.ownerId, params.agentId);
  requirePlan(caller);
  return budgetOf(pool, agent.id, now);
}

/**
 * Applies from the next submission on. Earlier spending is not undone. The limits stay in force when the owner leaves
 * the plan that offers them.
 */
export async function setBudget(call: Call<Operations['vault.setBudget']>) {
  const { tx, caller, params, body, now, correlationId } = call;
  const agent = await requireOwnAgent(tx, caller.ownerId, params.agentId);
  requirePlan(caller);
  await saveLimits(tx, agent.id, body, now);
  await appendEvent(tx, {
    type: 'budget.updated',
    district: 'vault',
    at: now,
    correlationId,
    ownerId: caller.ownerId,
    agentId: agent.id,
    data: { ...body },
  });
  return budgetOf(tx, agent.id, now);
}
