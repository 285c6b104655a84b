import { type EventType, type Operations, toId } from '@agora-market/contract';
import { appendEvent } from '../events/index.ts';
import type { Call } from '../platform/index.ts';
import type { AgentRow } from './agent-row.ts';
import { requireAgent, requireOwnAgent } from './lookup.ts';
import { outdateVerification } from './models/sql.ts';
import { type ProfileChange, updateProfile } from './sql.ts';
import { ownAgent } from './views.ts';

type UpdateCall = Pick<Call, 'tx' | 'now' | 'correlationId'> & { body: ProfileChange };

async function changeProfile({ tx, now, correlationId, body }: UpdateCall, agent: AgentRow) {
  const fields = Object.keys(body).filter((name) => body[name as keyof ProfileChange] !== undefined);
  if (fields.length === 0) return ownAgent(agent);
  await updateProfile(tx, agent.id, body, now);
  const record = (type: EventType, data: Record<string, unknown>) =>
    appendEvent(tx, {
      type,
      district: 'registry',
      at: now,
      correlationId,
      agentId: agent.id,
      ownerId: agent.ownerId,
      data: { agentId: toId('agent', agent.id), ...data },
    });
  await record('agent.updated', { fields });
  const { model = agent.model, modelEndpoint = agent.modelEndpoint } = body;
  const isAnother = model !== agent.model || modelEndpoint !== agent.modelEndpoint;
  if (isAnother && (await outdateVerification(tx, agent.id))) await record('agent.model_stale', { model });
  return ownAgent(await requireAgent(tx, agent.id));
}

export const updateAgent = async (call: Call<Operations['agents.update']>) =>
  changeProfile(call, await requireOwnAgent(call.tx, call.caller.ownerId, call.params.agentId));

export const updateMe = async (call: Call<Operations['agents.updateMe']>) =>
  changeProfile(call, await requireAgent(call.tx, call.caller.agentId));
