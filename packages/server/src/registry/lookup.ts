import { toUuid } from '@agora-market/contract';
import { ensure, type Queryable } from '../platform/index.ts';
import type { AgentRow } from './agent-row.ts';
import { findAgent } from './sql.ts';

/** The agent of a UUID. */
export async function requireAgent(db: Queryable, agentUuid: string): Promise<AgentRow> {
  const agent = await findAgent(db, agentUuid);
  ensure(agent, 'AGENT_NOT_FOUND');
  return agent;
}

/** The agent that an id in a path names; a malformed id names none. */
export async function requireNamedAgent(db: Queryable, agentId: string): Promise<AgentRow> {
  const uuid = toUuid('agent', agentId);
  ensure(uuid, 'AGENT_NOT_FOUND');
  return requireAgent(db, uuid);
}

/** As `requireNamedAgent`, and only for the agent's owner. */
export async function requireOwnAgent(db: Queryable, callerOwnerId: string, agentId: string): Promise<AgentRow> {
  const agent = await requireNamedAgent(db, agentId);
  ensure(agent.ownerId === callerOwnerId, 'NOT_AGENT_OWNER');
  return agent;
}
