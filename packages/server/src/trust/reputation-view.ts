import type { TrustSummary } from '@agora/contract';
import type { Queryable } from '../platform/index.ts';
import { findAgents } from '../registry/index.ts';

/** What the registry knows of an agent's reputation. The id is a UUID. */
export interface Reputation
  extends Pick<
    TrustSummary,
    'status' | 'trustTier' | 'overallScore' | 'confidence' | 'dimensions' | 'domains' | 'completedTasks'
  > {
  id: string;
  displayName: string;
}

/** The one place where this district reads reputations. */
export async function readReputations(db: Queryable, agentIds: string[]): Promise<Reputation[]> {
  const agents = await findAgents(db, agentIds);
  return agents.map((agent) => ({
    id: agent.id,
    displayName: agent.displayName,
    status: agent.status,
    trustTier: agent.trustTier,
    overallScore: agent.overallScore,
    confidence: 0,
    dimensions: {
      outcome: agent.outcome,
      relationship: agent.relationship,
      economic: agent.economic,
      reliability: agent.reliability,
    },
    domains: [],
    completedTasks: agent.completed,
  }));
}
