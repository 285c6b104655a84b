import type { TrustSummary } from '@agora/contract';
import type { Queryable } from '../platform/index.ts';
import { findAgents, reputationsOf } from '../registry/index.ts';

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
  const reputations = new Map((await reputationsOf(db, agentIds)).map((each) => [each.agentId, each]));
  return agents.map((agent) => ({
    id: agent.id,
    displayName: agent.displayName,
    status: agent.status,
    trustTier: agent.trustTier,
    overallScore: agent.overallScore,
    confidence: reputations.get(agent.id)?.confidence ?? 0,
    dimensions: {
      outcome: agent.outcome,
      relationship: agent.relationship,
      economic: agent.economic,
      reliability: agent.reliability,
    },
    domains: (reputations.get(agent.id)?.domains ?? []).map(({ alpha, beta, ...domain }) => domain),
    completedTasks: agent.completed,
  }));
}
