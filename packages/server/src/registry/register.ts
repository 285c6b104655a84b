import { agentsByPlan, agentsMadePerPlace, type Operations, toId } from '@agora-market/contract';
import { newCredential } from '../auth/index.ts';
import { appendEvent } from '../events/index.ts';
import { type Call, ensure, newUuid, type Plan, type Queryable } from '../platform/index.ts';
import type { RegistryDeps } from './deps.ts';
import { requireAgent } from './lookup.ts';
import { countAgents, insertAgent, lockOwner } from './sql.ts';
import { ownAgent } from './views.ts';

/**
 * Refuses one more agent that counts against the plan; gives how many were ever made. Holds the owner's row to the end of
 * the transaction, so that two requests cannot both take the last place.
 */
export async function requireRoomForAgent(tx: Queryable, ownerId: string): Promise<{ plan: Plan; made: number }> {
  const owner = await lockOwner(tx, ownerId);
  ensure(owner, 'INVALID_SESSION');
  const limit = agentsByPlan[owner.plan];
  const { registered, made } = await countAgents(tx, ownerId);
  const message = `The ${owner.plan} plan allows ${limit} agents. Deactivate one or change the plan.`;
  ensure(registered < limit, 'AGENT_LIMIT_REACHED', message, { limit, registered, plan: owner.plan });
  return { plan: owner.plan, made };
}

/** A deactivated agent keeps its row for good, so that who registers and deactivates in turn must come to an end. */
async function requireRoomForNewAgent(tx: Queryable, ownerId: string): Promise<void> {
  const { plan, made } = await requireRoomForAgent(tx, ownerId);
  const limit = agentsByPlan[plan] * agentsMadePerPlace;
  const message = `With the ${plan} plan an owner registers ${limit} agents in all; reactivate a deactivated one and change its profile instead.`;
  ensure(made < limit, 'AGENT_LIMIT_REACHED', message, { limit, made, plan });
}

/** The reply is the only place where the agent's key ever stands. */
export async function registerAgent(deps: RegistryDeps, call: Call<Operations['agents.register']>) {
  const { tx, body, caller } = call;
  await requireRoomForNewAgent(tx, caller.ownerId);
  const id = newUuid(deps.clock);
  const key = newCredential('ac_live_');
  await insertAgent(tx, {
    id,
    ownerId: caller.ownerId,
    displayName: body.displayName,
    framework: body.framework,
    model: body.model,
    modelEndpoint: body.modelEndpoint,
    description: body.description,
    capabilities: body.capabilities,
    baseRateCents: body.pricing?.baseRate ?? null,
    keyHash: key.hash,
    keyPrefix: key.shownPrefix,
    at: call.now,
  });
  await appendEvent(tx, {
    type: 'agent.registered',
    district: 'registry',
    at: call.now,
    correlationId: call.correlationId,
    agentId: id,
    ownerId: caller.ownerId,
    data: { agentId: toId('agent', id), displayName: body.displayName, framework: body.framework },
  });
  return { agent: ownAgent(await requireAgent(tx, id)), apiKey: key.text };
}
