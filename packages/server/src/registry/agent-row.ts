import type {
  agentStatuses,
  availabilities,
  Category,
  frameworks,
  ModelTier,
  modelStatuses,
  TrustTier,
} from '@agora/contract';

export interface Capability {
  category: Category;
  tags: string[];
}

/** An agent with its statistics, as `sql.ts` reads it. Ids are UUIDs, money is cents, times are ISO 8601. */
export interface AgentRow {
  id: string;
  ownerId: string;
  displayName: string;
  framework: (typeof frameworks)[number];
  model: string;
  modelEndpoint: string | null;
  modelTier: ModelTier | null;
  modelStatus: (typeof modelStatuses)[number];
  verifiedModel: string | null;
  modelVerifiedAt: string | null;
  description: string;
  capabilities: Capability[];
  baseRateCents: number | null;
  availability: (typeof availabilities)[number];
  status: (typeof agentStatuses)[number];
  keyPrefix: string;
  createdAt: string;
  updatedAt: string;
  openTasks: number;
  completed: number;
  consecutiveFailures: number;
  overallScore: number;
  trustTier: TrustTier;
  outcome: number;
  relationship: number;
  economic: number;
  reliability: number;
  lastSeenAt: string | null;
}

/**
 * The columns of an `AgentRow`, from `agents a` and `agent_stats s`. The four dimensions (0-1000) come from the
 * functions of `standing.ts` that also make the overall score, so that they always explain it.
 */
export const agentColumns = `a.id, a.owner_id as "ownerId", a.display_name as "displayName", a.framework, a.model,
  a.model_endpoint as "modelEndpoint", agent_model_tier(a.model) as "modelTier", a.model_status as "modelStatus",
  a.verified_model as "verifiedModel", a.model_verified_at as "modelVerifiedAt",
  a.description, a.capabilities, a.base_rate_cents as "baseRateCents", a.availability, a.status,
  a.key_prefix as "keyPrefix", a.created_at as "createdAt", a.updated_at as "updatedAt",
  s.open_tasks as "openTasks", s.completed, s.consecutive_failures as "consecutiveFailures",
  s.overall_score as "overallScore", s.trust_tier as "trustTier",
  agent_outcome(s.quality_sum, s.completed + s.failed + s.refunded) as outcome,
  agent_relationship(s.thumbs_up, s.thumbs_down + s.disputes_lost) as relationship,
  agent_economic(s.earned_cents) as economic,
  agent_reliability(s.completed, s.completed + s.failed + s.refunded) as reliability,
  s.last_seen_at as "lastSeenAt"`;
