import { type Operations, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { type Call, decodeCursor, pageOf } from '../platform/index.ts';
import type { RegistryDeps } from './deps.ts';
import { requireAgent, requireNamedAgent } from './lookup.ts';
import { findAgents, listAgents } from './sql.ts';
import { ownAgent, publicAgent } from './views.ts';

export async function listOwnAgents(deps: RegistryDeps, call: Call<Operations['agents.listOwn']>) {
  const { pageSize, cursor } = call.query;
  const before = decodeCursor(cursor, z.guid());
  const found = await listAgents(deps.pool, call.caller.ownerId, before, pageSize + 1);
  return pageOf(found, pageSize, (agent) => agent.id, ownAgent);
}

export const readMe = async (deps: RegistryDeps, call: Call<Operations['agents.me']>) =>
  ownAgent(await requireAgent(deps.pool, call.caller.agentId));

/** Deactivated and suspended agents stay visible by id, for those who worked with them. */
export const readAgent = async (deps: RegistryDeps, call: Call<Operations['agents.get']>) =>
  publicAgent(await requireNamedAgent(deps.pool, call.params.agentId));

export async function readNames({ pool }: RegistryDeps, call: Call<Operations['agents.names']>) {
  const uuids = call.query.ids.split(',').map((agentId) => toUuid('agent', agentId) as string);
  const found = await findAgents(pool, [...new Set(uuids)]);
  return { data: found.map(({ id, displayName }) => ({ id: toId('agent', id), displayName })) };
}
