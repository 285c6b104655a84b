import type { Operations } from '@agora/contract';
import { z } from 'zod';
import { type Call, decodeCursor, pageOf } from '../platform/index.ts';
import type { RegistryDeps } from './deps.ts';
import { requireAgent, requireNamedAgent } from './lookup.ts';
import { listAgents } from './sql.ts';
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
