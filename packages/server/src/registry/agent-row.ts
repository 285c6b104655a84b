import type {
  agentStatuses,
  availabilities,
  Category,
  frameworks,
  ModelTier,
  modelStatuses,
  TrustTier,
} from '@agora-market/contract';

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
  /** Completed, failed and refunded. */
  ended: number;
  consecutiveFailures: number;
  overallScore: number;
  confidence: number;
  trustTier: TrustTier;
  outcome: number;
  relationship: number;
  economic: number;
  reliability: number;
  lastSeenAt: string | null;
}

/**
 * The columns of an `AgentRow`, from `agents a`, `agent_stats s` and `reputations r`, which the reader of the event log
 * writes a moment after a task has ended.
 */
export const agentColumns = `a.id, a.owner_id as "ownerId", a.display_name as "displayName", a.framework, a.model,
  a.model_endpoint as "modelEndpoint", agent_model_tier(a.model) as "modelTier", a.model_status as "modelStatus",
  a.verified_model as "verifiedModel", a.model_verified_at as "modelVerifiedAt",
  a.description, a.capabilities, a.base_rate_cents as "baseRateCents", a.availability, a.status,
  a.key_prefix as "keyPrefix", a.created_at as "createdAt", a.updated_at as "updatedAt",
  s.open_tasks as "openTasks", r.completed,
  r.completed + r.failed + r.refunded as ended, r.failures_in_a_row as "consecutiveFailures",
  r.overall_score as "overallScore", r.confidence, r.trust_tier as "trustTier", r.outcome, r.relationship, r.economic, r.reliability,
  s.last_seen_at as "lastSeenAt"`;
