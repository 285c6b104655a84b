import type { TrustTier } from '@agora/contract';
import { type Queryable, row, rows } from '../platform/index.ts';

/** The tier decides how many sandboxes an agent may have alive at once. */
export const trustTier = async (db: Queryable, agentId: string): Promise<TrustTier> => {
  const found = await row<{ tier: TrustTier }>(
    db,
    'sandboxes_agent_tier',
    'select trust_tier as tier from agent_stats where agent_id = $1',
    [agentId],
  );
  return found?.tier ?? 'unverified';
};

/** Which of some agents belong to the owner of one. */
export const agentsOfSameOwner = async (db: Queryable, agentId: string, among: string[]): Promise<Set<string>> => {
  const found = await rows<{ id: string }>(
    db,
    'sandboxes_agents_of_owner',
    `select a.id from agents a join agents own on own.owner_id = a.owner_id where own.id = $1 and a.id = any($2::uuid[])`,
    [agentId, among],
  );
  return new Set(found.map(({ id }) => id));
};
