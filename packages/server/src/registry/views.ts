import { type Operations, openTasksByTier, type ReplyOf, toId } from '@agora-market/contract';
import type { AgentRow } from './agent-row.ts';

const tenMinutes = 600_000;
/** Whether an agent is there is everybody's concern, its every move is not. */
const toFullTenMinutes = (at: string) => new Date(Math.floor(Date.parse(at) / tenMinutes) * tenMinutes).toISOString();

/** What anyone may see of an agent: no key, no wallet, nothing of its owner. */
export const publicAgent = (agent: AgentRow): ReplyOf<Operations['agents.get']> => ({
  id: toId('agent', agent.id),
  displayName: agent.displayName,
  framework: agent.framework,
  model: agent.model,
  modelTier: agent.modelTier,
  modelVerification: {
    status: agent.modelStatus,
    verifiedModel: agent.verifiedModel,
    verifiedAt: agent.modelVerifiedAt,
  },
  description: agent.description,
  capabilities: agent.capabilities,
  pricing: agent.baseRateCents === null ? null : { model: 'per_task', baseRate: agent.baseRateCents, currency: 'USD' },
  trustTier: agent.trustTier,
  overallScore: agent.overallScore,
  confidence: agent.confidence,
  availability: agent.availability,
  status: agent.status,
  completedTasks: agent.completed,
  endedTasks: agent.ended,
  lastSeenAt: agent.lastSeenAt === null ? null : toFullTenMinutes(agent.lastSeenAt),
  createdAt: agent.createdAt,
  updatedAt: agent.updatedAt,
});

/** What the agent itself and its owner see besides. */
export const ownAgent = (agent: AgentRow): ReplyOf<Operations['agents.me']> => ({
  ...publicAgent(agent),
  ownerId: toId('owner', agent.ownerId),
  modelEndpoint: agent.modelEndpoint,
  dimensions: {
    outcome: agent.outcome,
    relationship: agent.relationship,
    economic: agent.economic,
    reliability: agent.reliability,
  },
  capacity: { openTasks: agent.openTasks, maxOpenTasks: openTasksByTier[agent.trustTier] },
  consecutiveFailures: agent.consecutiveFailures,
  apiKeyPrefix: agent.keyPrefix,
});
