import { type Operations, toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import type { Call, Pool, Queryable } from '../../platform/index.ts';
import { requireOwnAgent } from '../../registry/index.ts';
import { defaultLimits, findLimits, saveLimits, spentBy } from './budget-sql.ts';
import { forgetNotices } from './notices.ts';

async function budgetOf(db: Queryable, agentId: string, now: Date) {
  const limits = await findLimits(db, agentId);
  const isDefault = limits === null;
  return {
    agentId: toId('agent', agentId),
    ...(limits ?? defaultLimits),
    isDefault,
    spent: await spentBy(db, agentId, now),
  };
}

export async function getBudget(pool: Pool, { caller, params, now }: Call<Operations['vault.getBudget']>) {
  const agent = await requireOwnAgent(pool, caller.ownerId, params.agentId);
  return budgetOf(pool, agent.id, now);
}

/** Applies from the next submission on, also where it takes the default away. Earlier spending is not undone. */
export async function setBudget(call: Call<Operations['vault.setBudget']>) {
  const { tx, caller, params, body, now, correlationId } = call;
  const agent = await requireOwnAgent(tx, caller.ownerId, params.agentId);
  await saveLimits(tx, agent.id, body, now);
  await forgetNotices(tx, agent.id);
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
