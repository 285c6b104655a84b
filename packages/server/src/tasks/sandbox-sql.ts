import type { TrustTier } from '@agora/contract';
import { type Queryable, row } from '../platform/index.ts';

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
