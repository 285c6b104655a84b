import type { Category } from '@agora/contract';
import { type Queryable, rows } from '../platform/index.ts';
import { type Hireable, hireableColumns } from './hiring.ts';
import { emptyTally } from './reputation/evidence.ts';
import { domainPosterior, type Posterior } from './reputation/score.ts';

export interface CandidateRequest {
  category: Category;
  /** The task's `input.tags`; case does not matter. */
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
  /** Weight of evidence in the category from which on an agent is no newcomer to it. */
  knownFrom: number;
  /** From 0 up to 1: where the lottery begins to look for agents. */
  lot: number;
}

/** An agent that can take the task now, and what is known of its work in the category. */
export interface Candidate extends Hireable {
  openTasks: number;
  /** Open tasks that it may hold at once. */
  capacity: number;
  matchingTags: number;
  posterior: Posterior;
  evidence: { mass: number; good: number };
  /** Agents of its owner that are listed in the category, itself included; 50 stands for more. */
  siblings: number;
  /** Met at a random place. */
  inLottery: boolean;
}

/** How far a look goes: so many of the best of each band of prices, and so many at a random place. */
interface Reach {
  best: number;
  drawn: number;
  /** Agents without a score in the category are passed over. */
  scoredOnly?: true;
}
const first: Reach = { best: 8, drawn: 24 };
/** Where the first look meets newcomers only. */
const known: Reach = { best: 40, drawn: 0, scoredOnly: true };
/** Where nobody was found. */
const wide: Reach = { best: 100, drawn: 1000 };
/** How many candidates a choice considers at most. */
const mostCandidates = 40;

/**
 * Agents that can take a task now, in no order. A candidate is active and available, and its owner is another one and
 * not suspended. It lists the category and has no price, or one within the budget. It has fewer open tasks than its tier
 * allows, and is not silent. An agent that never polled becomes silent only when it leaves a task unanswered: it may be
 * new, or be called by webhook.
 *
 * What is read does not depend on how many agents there are: the best of each band of prices, and a few at a random
 * place. Where only newcomers among them can take the task, more known agents are looked at, for newcomers get no more than
 * their share while others are free. Where nobody can, a last look goes further, and finds nobody only where some thousand
 * agents cannot take the task.
 */
export async function findCandidates(db: Queryable, request: CandidateRequest): Promise<Candidate[]> {
  const found = await look(db, request, first);
  if (found.some(({ evidence }) => evidence.mass >= request.knownFrom)) return found;
  const more = await look(db, request, known);
  const met = new Set(found.map(({ id }) => id));
  const both = [...found, ...more.filter(({ id }) => !met.has(id))];
  return both.length > 0 ? both : look(db, request, wide);
}

/** Without evidence in the category, its prior is the agent's mean over all categories; see `domainPosterior`. */
function knownOf(found: Posterior | null, overallMean: number): Pick<Candidate, 'posterior' | 'evidence'> {
  const prior = domainPosterior(emptyTally(), overallMean);
  if (found === null) return { posterior: prior, evidence: { mass: 0, good: 0 } };
  const good = Math.max(0, found.alpha - prior.alpha);
  return { posterior: found, evidence: { mass: good + Math.max(0, found.beta - prior.beta), good } };
}

type Found = Omit<Candidate, 'posterior' | 'evidence'> & { posterior: Posterior | null; overallMean: number };

/** Every agent is looked up by key for each, whatever the statistics of a fresh table say. */
async function look(
  db: Queryable,
  request: CandidateRequest,
  { best, drawn, scoredOnly }: Reach,
): Promise<Candidate[]> {
  const tags = [...new Set((request.tags ?? []).map((tag) => tag.trim().toLowerCase()))];
  const found = await rows<Found>(
    db,
    `registry_${scoredOnly ? 'known_' : ''}candidates${tags.length > 0 ? '_by_tags' : ''}`,
    `with best as (
       select l.agent_id, l.score from generate_series(0, price_band($3)) as b(band) cross join lateral (
         select agent_id, score from agent_listings
         where category = $1 and price_band = b.band ${scoredOnly ? 'and score >= 0' : ''} order by score desc nulls last limit $4
       ) l
     ), drawn as (
       (select agent_id from agent_listings where category = $1 and lot >= $7 order by lot limit $5)
       union all
       (select agent_id from agent_listings where category = $1 and lot < $7 order by lot limit $5)
       limit $5
     ), met as (
       select agent_id, max(score) as score, bool_or(is_drawn) as is_drawn from (
         select agent_id, score, false as is_drawn from best union all select agent_id, null, true from drawn
       ) x group by agent_id
     )
     select ${hireableColumns}, s.open_tasks as "openTasks", agent_capacity(r.trust_tier) as capacity,
       ${tags.length > 0 ? 'm.tags' : '0'} as "matchingTags", d.posterior,
       r.alpha / (r.alpha + r.beta) as "overallMean", coalesce(k.siblings, 1)::int as siblings, met.is_drawn as "inLottery"
     from met
     cross join lateral (select * from agents where id = met.agent_id limit 1) a
     cross join lateral (select * from agent_stats where agent_id = a.id limit 1) s
     cross join lateral (select trust_tier, alpha, beta from reputations where agent_id = a.id limit 1) r
     cross join lateral (select status from owners where id = a.owner_id limit 1) o
     left join lateral (
       select json_build_object('alpha', alpha, 'beta', beta) as posterior from agent_domains
       where agent_id = a.id and category = $1 limit 1
     ) d on true
     left join lateral (
       select count(*) as siblings from (
         select from agent_listings where owner_id = a.owner_id and category = $1 limit 50
       ) x where met.is_drawn
     ) k on true
     ${tags.length > 0 ? matchingTags : ''}
     where a.status = 'active' and a.availability = 'available' and o.status = 'active'
       and a.categories @> array[$1::text] and a.owner_id <> $2
       and (a.base_rate_cents is null or a.base_rate_cents <= $3)
       and s.open_tasks < agent_capacity(r.trust_tier) and a.id <> all($6::uuid[])
       and coalesce(s.last_seen_at, s.unanswered_since, 'infinity') >= $8
     order by (met.is_drawn and $5::int <= ${mostCandidates}) desc, met.score desc nulls last, a.id limit ${mostCandidates}`,
    [
      request.category,
      request.excludeOwnerId,
      request.maxBudgetCents,
      best,
      drawn,
      request.excludeAgentIds ?? [],
      request.lot,
      request.seenSince?.toISOString() ?? '-infinity',
      ...(tags.length > 0 ? [tags] : []),
    ],
  );
  return found.map(({ overallMean, ...agent }) => ({ ...agent, ...knownOf(agent.posterior, overallMean) }));
}

/** How many of the wanted tags ($9, in lower case) an agent lists at the category. */
const matchingTags = `cross join lateral (
  select count(distinct lower(t.tag))::int as tags
  from jsonb_array_elements(a.capabilities) c cross join jsonb_array_elements_text(c -> 'tags') as t(tag)
  where c ->> 'category' = $1 and lower(t.tag) = any($9::text[])
) m`;
