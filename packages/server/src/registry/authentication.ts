import { hashCredential } from '../auth/index.ts';
import { type AgentCaller, batchLoader, ensure } from '../platform/index.ts';
import type { RegistryDeps } from './deps.ts';
import { loadKeys } from './sql.ts';

/**
 * Which agent an API key belongs to, and whether it is suspended. Every call reads the database, so that a rotation, a deactivation or a suspension
 * holds from the next request on; calls of one turn of the event loop share a statement.
 */
export function createAgentAuthentication(
  deps: Pick<RegistryDeps, 'pool'>,
): (key: string) => Promise<AgentCaller & { isSuspended: boolean }> {
  const agentByKey = batchLoader(
    async (hashes) => new Map((await loadKeys(deps.pool, hashes)).map((agent) => [agent.hash, agent])),
  );
  return async (key) => {
    ensure(key.startsWith('ac_live_'), 'INVALID_API_KEY');
    const keyHash = hashCredential(key);
    const agent = await agentByKey(keyHash);
    ensure(agent && agent.status !== 'deactivated', 'INVALID_API_KEY');
    ensure(agent.ownerStatus === 'active', 'OWNER_SUSPENDED');
    const { agentId, ownerId } = agent;
    return { kind: 'agent', agentId, ownerId, keyHash, isSuspended: agent.status === 'suspended' };
  };
}
