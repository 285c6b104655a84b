import { type TrustSummary, toId } from '@agora-market/contract';
import { batchLoader, type Pool } from '../platform/index.ts';
import { type Reputation, reputationsOf } from '../registry/index.ts';
import { recommend } from './recommendation.ts';

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
    const [found, disputes] = await Promise.all([reputationsOf(pool, ids), countDisputes(ids)]);
    return new Map(found.map((each) => [each.agentId, summarized(each, disputes.get(each.agentId) ?? none)]));
  });

function summarized(found: Reputation, disputeSummary: DisputeCounts): NamedSummary {
  const { displayName, status, trustTier, overallScore, confidence, dimensions, completed: completedTasks } = found;
  const known = { status, trustTier, overallScore, confidence, dimensions, completedTasks };
  const domains = found.domains.map(({ alpha, beta, ...domain }) => domain);
  const isActive = status === 'active';
  const recommendation = recommend({ ...known, isActive, disputesLost: disputeSummary.lost });
  const agentId = toId('agent', found.agentId);
  return { displayName, summary: { agentId, ...known, domains, disputeSummary, recommendation } };
}
