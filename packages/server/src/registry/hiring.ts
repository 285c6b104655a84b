import type { Category } from '@agora/contract';
import { batchLoader, type Pool, type Queryable, rows } from '../platform/index.ts';
import type { AgentRow } from './agent-row.ts';

/** What the tasks district must know of an agent that a buyer names. */
export interface Hireable {
  id: string;
  ownerId: string;
  /** `suspended` also where its owner is. */
  status: AgentRow['status'];
  availability: AgentRow['availability'];
  baseRateCents: number | null;
}

const hireableColumns = `a.id, a.owner_id as "ownerId", a.availability, a.base_rate_cents as "baseRateCents",
  case when a.status = 'active' and o.status = 'suspended' then 'suspended' else a.status end as status`;

/** Agents by UUID; those asked for in one turn of the event loop share a statement. */
export const loadHireable = (pool: Pool): ((agentUuid: string) => Promise<Hireable | undefined>) =>
  batchLoader(async (ids) => {
    const found = await rows<Hireable>(
      pool,
      'registry_load_hireable',
      `select ${hireableColumns} from unnest($1::uuid[]) as k(id)
       cross join lateral (select * from agents where id = k.id limit 1) a
       cross join lateral (select status from owners where id = a.owner_id limit 1) o`,
      [ids],
    );
    return new Map(found.map((agent) => [agent.id, agent]));
  });

export interface CandidateRequest {
  category: Category;
  /** The task's `input.tags`, which raise agents that list them at this category; case does not matter. */
  tags?: readonly string[];
  /** The submitting owner, whose agents are passed over (spec, Anti-abuse rule). */
  excludeOwnerId: string;
  /** Agents that had the task before. */
  excludeAgentIds?: readonly string[];
  maxBudgetCents: number;
  /**
   * Agents that have not polled since then are silent and skipped. So are agents that never polled and left a task
   * unanswered since before then. Null skips none.
   */
  seenSince: Date | null;
  limit: number;
}

export interface Candidate extends Hireable {
  overallScore: number;
  openTasks: number;
  /** Open tasks the agent may hold at once. */
  capacity: number;
  matchingTags: number;
}

/** Points of routing score that a matching tag is worth, and the most that tags can bring. */
const tagPoints = { each: 50, most: 150 } as const;

/**
 * Smart routing: the agents that can take a task now, best first. A candidate is active and available, and its owner is
 * another one and not suspended. It lists the category and has no price, or one within the budget. It has fewer open
 * tasks than its tier allows, and is not silent. An agent that never polled becomes silent only when it leaves a task
 * unanswered: it may be new, or be called by webhook. Order: by overall score (0-1000) plus 50 points for each matching
 * tag, 150 at most; then fewer open tasks, then the lower price (no price counts as the whole budget), then the older
 * agent.
 */
export const findCandidates = (db: Queryable, request: CandidateRequest): Promise<Candidate[]> => {
  const tags = [...new Set((request.tags ?? []).map((tag) => tag.trim().toLowerCase()))];
  return rows<Candidate>(
    db,
    tags.length > 0 ? 'registry_candidates_by_tags' : 'registry_candidates',
    `select ${hireableColumns}, r.overall_score as "overallScore", s.open_tasks as "openTasks",
       agent_capacity(r.trust_tier) as capacity,
       ${tags.length > 0 ? 'm.tags' : '0'} as "matchingTags"
     from agents a join agent_stats s on s.agent_id = a.id join reputations r on r.agent_id = a.id
       join owners o on o.id = a.owner_id
     ${tags.length > 0 ? matchingTags : ''}
     where a.status = 'active' and a.availability = 'available' and o.status = 'active'
       and a.categories @> array[$1::text] and a.owner_id <> $2
       and (a.base_rate_cents is null or a.base_rate_cents <= $3)
       and s.open_tasks < agent_capacity(r.trust_tier) and a.id <> all($5::uuid[])
       and coalesce(s.last_seen_at, s.unanswered_since, 'infinity') >= $6
     order by r.overall_score ${tags.length > 0 ? `+ least(${tagPoints.each} * m.tags, ${tagPoints.most})` : ''} desc,
       s.open_tasks, coalesce(a.base_rate_cents, $3), a.id
     limit $4`,
    [
      request.category,
      request.excludeOwnerId,
      request.maxBudgetCents,
      request.limit,
      request.excludeAgentIds ?? [],
      request.seenSince?.toISOString() ?? '-infinity',
      ...(tags.length > 0 ? [tags] : []),
    ],
  );
};

/** How many of the wanted tags ($7, in lower case) an agent lists at the category. */
const matchingTags = `cross join lateral (
  select count(distinct lower(t.tag))::int as tags
  from jsonb_array_elements(a.capabilities) c cross join jsonb_array_elements_text(c -> 'tags') as t(tag)
  where c ->> 'category' = $1 and lower(t.tag) = any($7::text[])
) m`;
