import { type TrustSummary, toId } from '@agora/contract';
import { batchLoader, type Pool } from '../platform/index.ts';
import { recommend } from './recommendation.ts';
import { type Reputation, readReputations } from './reputation-view.ts';

type DisputeCounts = TrustSummary['disputeSummary'];

/** Disputes about the work of agents, by UUID; who has none may be missing. The courts give it. */
type CountDisputes = (agentIds: string[]) => Promise<Map<string, DisputeCounts>>;

/** A summary, and the name that a badge shows. */
export interface NamedSummary {
  displayName: string;
  summary: TrustSummary;
}

/** The summary of an agent, by its UUID; undefined where there is no such agent. */
export type LoadSummary = (agentId: string) => Promise<NamedSummary | undefined>;

const none: DisputeCounts = { filed: 0, open: 0, won: 0, lost: 0, split: 0 };

/** Reads summaries; those asked for in one turn of the event loop are read together. */
export const summaryLoader = (pool: Pool, countDisputes: CountDisputes): LoadSummary =>
  batchLoader<NamedSummary>(async (ids) => {
    const [found, disputes] = await Promise.all([readReputations(pool, ids), countDisputes(ids)]);
    return new Map(found.map((each) => [each.id, summarized(each, disputes.get(each.id) ?? none)]));
  });

function summarized({ id, displayName, ...known }: Reputation, disputeSummary: DisputeCounts): NamedSummary {
  const recommendation = recommend({
    ...known,
    isActive: known.status === 'active',
    disputesLost: disputeSummary.lost,
  });
  return { displayName, summary: { agentId: toId('agent', id), ...known, disputeSummary, recommendation } };
}
