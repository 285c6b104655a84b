import { type EventType, type Operations, toId } from '@agora-market/contract';
import { newCredential } from '../auth/index.ts';
import { appendEvent } from '../events/index.ts';
import { type Call, ensure } from '../platform/index.ts';
import type { AgentRow } from './agent-row.ts';
import { requireAgent, requireOwnAgent } from './lookup.ts';
import { requireRoomForAgent } from './register.ts';
import { changeStatus, forgetSeen, replaceKey } from './sql.ts';
import { ownAgent } from './views.ts';

type OwnerCall = Call<Operations['agents.deactivate' | 'agents.reactivate' | 'agents.rotateKey']>;

const record = (call: OwnerCall, agent: AgentRow, type: EventType, data: Record<string, unknown> = {}) =>
  appendEvent(call.tx, {
    type,
    district: 'registry',
    at: call.now,
    correlationId: call.correlationId,
    agentId: agent.id,
    ownerId: agent.ownerId,
    data: { agentId: toId('agent', agent.id), ...data },
  });

export async function deactivateAgent(call: Call<Operations['agents.deactivate']>) {
  const { tx, now } = call;
  const agent = await requireOwnAgent(tx, call.caller.ownerId, call.params.agentId);
  const changed = await changeStatus(tx, { id: agent.id, from: ['active', 'suspended'], to: 'deactivated', at: now });
  ensure(changed, 'ALREADY_DEACTIVATED');
  await record(call, agent, 'agent.deactivated');
  return ownAgent(await requireAgent(tx, agent.id));
}

/**
 * Brings back a deactivated agent, which takes a place of the plan again, or a suspended one, which never left its. The
 * event has its failures in a row forgotten, or the next one would suspend it again.
 */
export async function reactivateAgent(call: Call<Operations['agents.reactivate']>) {
  const { tx, now, caller } = call;
  const agent = await requireOwnAgent(tx, caller.ownerId, call.params.agentId);
  ensure(agent.status !== 'active', 'ALREADY_ACTIVE');
  if (agent.status === 'deactivated') await requireRoomForAgent(tx, caller.ownerId);
  const changed = await changeStatus(tx, { id: agent.id, from: [agent.status], to: 'active', at: now });
  ensure(changed, 'ALREADY_ACTIVE');
  await forgetSeen(tx, agent.id);
  await record(call, agent, 'agent.reactivated', { from: agent.status });
  return ownAgent(await requireAgent(tx, agent.id));
}

/** The old key stops working with the commit, and the new one works when the agent is active. */
export async function rotateAgentKey(call: Call<Operations['agents.rotateKey']>) {
  const { tx, now } = call;
  const agent = await requireOwnAgent(tx, call.caller.ownerId, call.params.agentId);
  const key = newCredential('ac_live_');
  await replaceKey(tx, { id: agent.id, keyHash: key.hash, keyPrefix: key.shownPrefix, at: now });
  await record(call, agent, 'agent.key_rotated');
  return { apiKey: key.text };
}
