import type { Category } from '@agora-market/contract';
import { defineFunction, type Queryable, rows } from '../platform/index.ts';
import { emptyTally, type Tally } from './reputation/evidence.ts';
import { domainPosterior, newcomerMean, type Posterior } from './reputation/score.ts';
import { credibleFrom, ownWork, type Tastes } from './reputation/tastes.ts';
import { type StoredVoice, unpackVoice } from './reputation/voice-row.ts';
import { takesBuyer } from './work-rules.ts';

export interface CandidateRequest {
  category: Category;
  /** The task's `input.tags`; case does not matter. */
  tags?: readonly string[];
  /** Owners whose agents are passed over: the submitting one (spec, Anti-abuse rule), and those of other attempts. */
  excludeOwnerIds: readonly string[];
  /** What buyers had from agents weighs as it does then. */
  at: Date;
  /** Who buys. Agents whose policy does not take its tasks are passed over. */
  buyerId: string;
  /** Its agent, if that submits. Agents whose policy blocks it are passed over. */
  submitterAgentId?: string | null | undefined;
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
  /** Only owners with a verified payment instrument count as such; where there is none to be had, all do. */
  mustBeVerified?: boolean;
  /** From 0 up to 1: where the lottery begins to look for agents. */
  lot: number;
}

/** An agent that can take the task now, and what is known of its work in the category. */
export interface Candidate {
  id: string;
  ownerId: string;
  baseRateCents: number | null;
  openTasks: number;
  /** Open tasks that it may hold at once. */
  capacity: number;
  matchingTags: number;
  posterior: Posterior;
  evidence: { mass: number; good: number };
  /** What its work is expected to be worth while it is a newcomer: as that of other newcomers, or of its owner's others if worse. */
  newcomerMean: number;
  /** What the buyer itself had from it in the category. */
  own: Tally;
  /** With so many tasks of its own, what the buyer saw says as much as what all buyers saw (`credibleFrom`). */
  credibleFrom: number;
  /** Agents of its owner that are listed in the category, itself included; 50 stands for more. */
  siblings: number;
  /** Met at a random place. */
  inLottery: boolean;
  /** Its owner counts as having a verified payment instrument. */
  isVerified: boolean;
}

/** How far a look goes: so many of the best of each band of prices, and so many at a random place; or these agents alone. */
export interface Reach {
  best: number;
  drawn: number;
  /** The lowest score in the category of the best ones; -1 is that of agents without a score. */
  least: -1 | 0;
  /** Agents count also while they have as many tasks as they may. */
  busyToo?: boolean;
  among?: readonly string[] | null;
}
const first: Reach = { best: 8, drawn: 24, least: -1 };
/** Where the first look meets newcomers only. */
const known: Reach = { best: 40, drawn: 0, least: 0 };
/** Where nobody was found. */
const wide: Reach = { best: 100, drawn: 1000, least: -1 };
/** How many candidates a choice considers at most. */
export const mostCandidates = 40;

/**
 * The looks at the market for one task, one after the other: each is told what the one before has found, and the last
 * gives the candidates. The simulation of the market takes the same ones. Where the first meets newcomers only, what it
 * drew by lot and the known agents of the second come before its other newcomers.
 */
export function* looks(knownFrom: number): Generator<Reach, Candidate[], Candidate[]> {
  const found = yield first;
  if (found.some(({ evidence }) => evidence.mass >= knownFrom)) return found;
  const more = yield known;
  const inTurn = [...found.filter(({ inLottery }) => inLottery), ...more, ...found];
  // Each once, at its first place, and as the first look has found it.
  const both = [...new Map(inTurn.map((agent) => [agent.id, agent])).values()].slice(0, mostCandidates);
  return both.length > 0 ? both : yield wide;
}

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
  const looking = looks(request.knownFrom);
  let next = looking.next();
  while (!next.done) next = looking.next(await look(db, request, next.value));
  return next.value;
}

/**
 * Up to \`p_best\` listings of each band of prices and \`p_drawn\` from \`p_lot\` on, those of them that can take the task.
 * The listings met are put in order first and asked one after the other until there are enough, for asking is what costs.
 * The settings hold the planner to the keys, whatever the statistics say, and to one plan: making one takes as long as
 * running it.
 */
defineFunction(
  'agent_candidates',
  `create or replace function agent_candidates(p_category text, p_owners uuid[], p_budget bigint, p_tried uuid[],
  p_seen timestamptz, p_tags text[], p_lot float8, p_best int, p_drawn int, p_least int, p_among uuid[], p_busy_too boolean, p_buyer uuid,
  p_submitter uuid, p_verified boolean[])
returns table (agent_id uuid, owner_id uuid, price bigint, tags int, capacity int, open_tasks int, alpha float8, beta float8,
  mean float8, siblings int, is_drawn boolean, is_verified boolean,
  kin_mass float8, kin_good float8, voice json)
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  buyer record;
begin
  select * into buyer from buyer_of(p_buyer);
  return query with best as (
    select l.* from generate_series(0, price_band(p_budget)) as b(band) cross join lateral (
      select * from agent_listings l where l.category = p_category and l.price_band = b.band and l.score >= p_least and not l.silent
      order by l.score desc limit p_best
    ) l
  ), drawn as (
    (select l.* from unnest(p_verified) as v(is_verified) cross join lateral (
      select * from agent_listings l
      where l.category = p_category and l.is_verified = v.is_verified and l.lot >= p_lot and not l.silent order by l.lot limit p_drawn
    ) l order by l.lot limit p_drawn)
    union all
    (select l.* from unnest(p_verified) as v(is_verified) cross join lateral (
      select * from agent_listings l
      where l.category = p_category and l.is_verified = v.is_verified and l.lot < p_lot and not l.silent order by l.lot limit p_drawn
    ) l order by l.lot limit p_drawn)
    limit p_drawn
  ), met as (
    select distinct on (x.agent_id) x.* from (
      select *, false as is_drawn from best union all select *, true from drawn
      union all select l.*, false from agent_listings l
        where p_among is not null and l.agent_id = any(p_among) and l.category = p_category
    ) x
    where x.owner_id <> all(p_owners) and (x.price is null or x.price <= p_budget) and x.agent_id <> all(p_tried)
      and (x.blocked is null or not x.blocked && array[p_buyer, p_submitter])
      and ${takesBuyer('x.buyer_limits', 'buyer')}
    order by x.agent_id, x.is_drawn desc
  ), ranked as materialized (
    select *, m.is_drawn and p_drawn <= ${mostCandidates} as comes_first from met m order by comes_first desc, m.score desc, m.agent_id
  )
  select m.agent_id, m.owner_id, m.price, (select count(*)::int from unnest(p_tags) as t(tag) where t.tag = any(m.tags)),
    agent_capacity(m.tier), s.open_tasks, m.alpha, m.beta, m.mean,
    case when m.is_drawn then (
      select count(*)::int from (
        select from agent_listings l where l.owner_id = m.owner_id and l.category = p_category and not l.silent limit 50
      ) x
    ) else 1 end, m.is_drawn, m.is_verified = any(p_verified), m.kin_mass, m.kin_good,
    (select v.voice from agent_voices v where v.agent_id = m.agent_id
       and v.buyer_id = coalesce((select p.principal_id from owner_principals p where p.owner_id = p_buyer), p_buyer))
  from ranked m cross join lateral (select * from agent_stats where agent_stats.agent_id = m.agent_id limit 1) s
  where (p_busy_too or s.open_tasks < agent_capacity(m.tier)) and coalesce(s.last_seen_at, s.unanswered_since, 'infinity') >= p_seen
    and (select o.id from owners o where o.id = m.owner_id and o.status = 'suspended') is null
  order by m.comes_first desc, m.score desc, m.agent_id limit ${mostCandidates};
end $$`,
);

/** Those of the given agents that can take a task now. */
export const candidatesAmong = (db: Queryable, request: CandidateRequest, among: readonly string[]) =>
  look(db, request, { best: 0, drawn: 0, least: -1, among });

/** Agents that could take the task if none were busy, as far as the widest look goes; 40 stands for more. */
export const findMatching = (db: Queryable, request: CandidateRequest) => look(db, request, { ...wide, busyToo: true });

export type Found = Omit<Candidate, 'posterior' | 'evidence' | 'newcomerMean' | 'credibleFrom'> & {
  alpha: number | null;
  beta: number | null;
  mean: number;
  newcomers: Tally;
  /** What is known of its owner's other agents in the category; null for nothing. */
  kin: Tally | null;
  tastes: Tastes;
};

type Row = Omit<Found, 'newcomers' | 'kin' | 'own' | 'tastes'> &
  Tastes & {
    newcomerMass: number;
    newcomerGood: number;
    kinMass: number | null;
    kinGood: number | null;
    /** What the buyer has to say of the agent. */
    voice: StoredVoice | null;
  };

async function look(
  db: Queryable,
  request: CandidateRequest,
  { best, drawn, least, among = null, busyToo = false }: Reach,
): Promise<Candidate[]> {
  const found = await rows<Row>(
    db,
    'registry_candidates',
    `select agent_id as id, owner_id as "ownerId", price as "baseRateCents", tags as "matchingTags", capacity,
       open_tasks as "openTasks", alpha, beta, mean, siblings, is_drawn as "inLottery",
       is_verified as "isVerified", kin_mass as "kinMass", kin_good as "kinGood", voice,
       coalesce(n.mass, 0) as "newcomerMass", coalesce(n.good, 0) as "newcomerGood",
       coalesce(t.pairs, 0) as pairs, coalesce(t.together, 0) as together, coalesce(t.apart, 0) as apart
     from agent_candidates($1, $2::uuid[], $3, $4, $5, $6, $7, $8, $9, $10, $11::uuid[], $12, $13, $14, $15::boolean[])
     left join category_newcomers n on n.category = $1 left join category_tastes t on t.category = $1`,
    [
      request.category,
      request.excludeOwnerIds,
      request.maxBudgetCents,
      request.excludeAgentIds ?? [],
      request.seenSince?.toISOString() ?? '-infinity',
      [...new Set((request.tags ?? []).map((tag) => tag.trim().toLowerCase()))],
      request.lot,
      best,
      drawn,
      least,
      among,
      busyToo,
      request.buyerId,
      request.submitterAgentId ?? null,
      request.mustBeVerified ? [true] : [true, false],
    ],
  );
  return found.map(({ newcomerMass, newcomerGood, kinMass, kinGood, voice, pairs, together, apart, ...agent }) =>
    candidateOf({
      ...agent,
      newcomers: { mass: newcomerMass, good: newcomerGood },
      kin: kinMass && kinGood !== null ? { mass: kinMass, good: kinGood } : null,
      own: ownWork(voice && unpackVoice(voice), request.category, request.at.getTime()),
      tastes: { pairs, together, apart },
    }),
  );
}

/**
 * Without evidence in the category, its prior is the agent's mean over all categories; see `domainPosterior`. Where the owner's
 * other agents there are worse than newcomers usually are, their record is its own until it has one.
 */
export function candidateOf({ alpha, beta, mean, newcomers, kin, tastes, ...agent }: Found): Candidate {
  const prior = domainPosterior(emptyTally(), mean);
  const usual = newcomerMean(newcomers);
  const ofKin = kin === null ? usual : kin.good / kin.mass;
  const inherited = kin !== null && ofKin < usual ? { alpha: kin.good, beta: kin.mass - kin.good } : prior;
  const posterior = alpha === null || beta === null ? inherited : { alpha, beta };
  const good = Math.max(0, posterior.alpha - prior.alpha);
  const evidence = { mass: good + Math.max(0, posterior.beta - prior.beta), good };
  return { ...agent, newcomerMean: Math.min(usual, ofKin), credibleFrom: credibleFrom(tastes), posterior, evidence };
}
