import type { TrustSummary } from '@agora-market/contract';
import { type Queryable, rows } from '../platform/index.ts';

/** Disputes about the work of agents, by the agent's UUID. A dismissed dispute is won by the agent. */
export async function countDisputes(
  db: Queryable,
  agentIds: string[],
): Promise<Map<string, TrustSummary['disputeSummary']>> {
  const found = await rows<TrustSummary['disputeSummary'] & { agentId: string }>(
    db,
    'disputes_count',
    `select k.id as "agentId", d.* from unnest($1::uuid[]) as k(id)
     cross join lateral (
       select count(*) as filed, count(*) filter (where status <> 'resolved') as open,
         count(*) filter (where outcome in ('seller_wins', 'dismissed')) as won,
         count(*) filter (where outcome = 'buyer_wins') as lost, count(*) filter (where outcome = 'split') as split
       from disputes where agent_id = k.id
     ) d`,
    [agentIds],
  );
  return new Map(found.map(({ agentId, ...counts }) => [agentId, counts]));
}
