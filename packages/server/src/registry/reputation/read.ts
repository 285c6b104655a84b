import {
  type Category,
  failuresBeforeSuspension,
  type Operations,
  type ReplyOf,
  type TrustTier,
  toId,
  toUuid,
} from '@agora-market/contract';
import { type Call, ensure, type Pool, type Queryable, row, rows } from '../../platform/index.ts';
import type { AgentRow } from '../agent-row.ts';
import { requireOwnAgent } from '../lookup.ts';
import type { Dimension } from './evidence.ts';
import { countedFailures, type Failure } from './failures.ts';
import type { DomainScore } from './score.ts';
import { nextTierOf } from './tier.ts';

/** An agent and what is known of its reputation. The id is a UUID, scores are 0–1000, confidence is 0–100. */
export interface Reputation {
  agentId: string;
  displayName: string;
  status: AgentRow['status'];
  overallScore: number;
  confidence: number;
  /** What the score is at least, with 95 % certainty. */
  lowerBound: number;
  trustTier: TrustTier;
  dimensions: Record<Dimension, number>;
  /** The Beta distribution of how good its outcomes are, and of those in each category that it has worked in. */
  alpha: number;
  beta: number;
  /** Best first. */
  domains: (Omit<DomainScore, 'posterior'> & { category: Category; alpha: number; beta: number })[];
  completed: number;
  failed: number;
  refunded: number;
  thumbsUp: number;
  thumbsDown: number;
  /** ISO 8601. */
  firstPassedAt: string | null;
  /** The time at which all this holds; null before the first fact. */
  asOf: string | null;
}

/** The reputations of agents, in no order; those that do not exist are left out. */
export const reputationsOf = (db: Queryable, agentIds: readonly string[]): Promise<Reputation[]> =>
  rows<Reputation>(
    db,
    'reputations_of',
    `select r.agent_id as "agentId", a.display_name as "displayName", a.status, r.overall_score as "overallScore", r.confidence, r.lower_bound as "lowerBound",
       r.trust_tier as "trustTier", json_build_object('outcome', r.outcome, 'relationship', r.relationship,
         'economic', r.economic, 'reliability', r.reliability) as dimensions,
       r.alpha, r.beta, d.domains, r.completed, r.failed, r.refunded, r.thumbs_up as "thumbsUp",
       r.thumbs_down as "thumbsDown", r.first_passed_at as "firstPassedAt", r.as_of as "asOf"
     from unnest($1::uuid[]) as k(id)
     cross join lateral (select * from reputations where agent_id = k.id limit 1) r
     cross join lateral (select display_name, status from agents where id = k.id limit 1) a
     cross join lateral (
       select coalesce(json_agg(json_build_object('category', category, 'score', score, 'confidence', confidence,
         'tasks', tasks, 'alpha', alpha, 'beta', beta) order by score desc, category), '[]') as domains
       from agent_domains where agent_id = k.id
     ) d`,
    [agentIds],
  );

type Read = Operations['agents.reputation'];
type Day = ReplyOf<Read>['history'][number];

const historyOf = (db: Queryable, agentId: string, days: number) =>
  rows<Day>(
    db,
    'reputation_history',
    `select to_char(day, 'YYYY-MM-DD') as day, overall_score as "overallScore", confidence, lower_bound as "lowerBound",
       trust_tier as "trustTier", json_build_object('outcome', outcome, 'relationship', relationship,
         'economic', economic, 'reliability', reliability) as dimensions
     from reputation_days where agent_id = $1 order by reputation_days.day desc limit $2`,
    [agentId, days],
  );

/** What refunds weigh against the agent, and the failures that it is not answerable for (see `AgentRecord`). */
const refusalsOf = async (db: Queryable, agentId: string) => {
  const found = await row<{ refusals: number; contested: number; payers: number }>(
    db,
    'reputation_refusals',
    `select (record ->> 'refusals')::float8 as refusals, (record ->> 'contested')::int as contested,
       coalesce((record ->> 'payers')::int, 0) as payers
     from reputations where agent_id = $1 and record is not null`,
    [agentId],
  );
  return found ?? { refusals: 0, contested: 0, payers: 0 };
};

export async function readReputation(pool: Pool, call: Call<Read>): Promise<ReplyOf<Read>> {
  const id = toUuid('agent', call.params.agentId);
  const [found] = id === null ? [] : await reputationsOf(pool, [id]);
  ensure(found, 'AGENT_NOT_FOUND');
  const { agentId, overallScore, confidence, lowerBound, trustTier, dimensions, domains, asOf } = found;
  const { completed, failed, refunded, thumbsUp: up, thumbsDown: down } = found;
  const firstPassedAt = found.firstPassedAt === null ? null : Date.parse(found.firstPassedAt);
  const [refused, history] = await Promise.all([refusalsOf(pool, agentId), historyOf(pool, agentId, call.query.days)]);
  return {
    ...{ overallScore, confidence, lowerBound, trustTier, dimensions, firstPassedAt: found.firstPassedAt, asOf },
    agentId: toId('agent', agentId),
    domains: domains.map(({ alpha, beta, ...domain }) => domain),
    tasks: { completed, failed, refunded },
    feedback: { up, down },
    nextTier: nextTierOf(trustTier, { completed, failed, firstPassedAt, ...refused }, found, call.now.getTime()),
    history,
  };
}

/** What suspends an own agent, or would. */
export async function readFailures(
  pool: Pool,
  { caller, params }: Call<Operations['agents.failures']>,
): Promise<ReplyOf<Operations['agents.failures']>> {
  const agent = await requireOwnAgent(pool, caller.ownerId, params.agentId);
  const found = await row<{ failures: Failure[] | null }>(
    pool,
    'reputation_failures',
    `select record -> 'failuresInARow' as failures from reputations where agent_id = $1`,
    [agent.id],
  );
  const failures = found?.failures ?? [];
  return {
    counted: countedFailures(failures),
    suspendedFrom: failuresBeforeSuspension,
    failures: failures.map(({ task, buyer, weight }) => ({
      taskId: toId('task', task),
      weight: Math.round(weight * 100) / 100,
      by: buyer === null ? 'agent' : 'buyer',
    })),
  };
}
