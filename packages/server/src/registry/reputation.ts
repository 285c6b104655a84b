import { failuresBeforeSuspension, openTasksByTier } from '@agora/contract';
import { defineFunction } from '../platform/index.ts';

/**
 * Provisional reputation, until the reputation capability replaces it. Each dimension is 0–1000 and starts at 500,
 * which weighs as much as five observations (a Bayesian average). Outcome is the mean quality of finished tasks.
 * Relationship is the share of thumbs up among all thumbs and among disputes that the agent lost as a buyer. Economic
 * grows with the logarithm of earnings. Reliability is the share of tasks that did not fail. One expression each, so
 * that PostgreSQL inlines them.
 */
defineFunction(
  'agent_outcome',
  `create or replace function agent_outcome(p_quality bigint, p_finished int) returns int language sql immutable as $$
  select ((2500 + 10 * p_quality) / (5 + p_finished))::int
$$`,
);
defineFunction(
  'agent_relationship',
  `create or replace function agent_relationship(p_up int, p_down int) returns int language sql immutable as $$
  select (2500 + 1000 * p_up) / (5 + p_up + p_down)
$$`,
);
defineFunction(
  'agent_economic',
  `create or replace function agent_economic(p_earned_cents bigint) returns int language sql immutable as $$
  select least(1000, 500 + floor(40 * ln(1 + p_earned_cents / 1000.0::float8)))::int
$$`,
);
defineFunction(
  'agent_reliability',
  `create or replace function agent_reliability(p_completed int, p_finished int) returns int language sql immutable as $$
  select (2500 + 1000 * p_completed) / (5 + p_finished)
$$`,
);

/** The weighted average of the four dimensions; the weights are the spec's: 40, 25, 20 and 15 %. */
defineFunction(
  'agent_score',
  `create or replace function agent_score(p_outcome int, p_relationship int, p_economic int, p_reliability int)
returns int language sql immutable as $$
  select (p_outcome * 40 + p_relationship * 25 + p_economic * 20 + p_reliability * 15) / 100
$$`,
);

/** Trust tier by score, completed tasks and their share of all; a score below 100 caps it at provisional. */
defineFunction(
  'agent_tier',
  `create or replace function agent_tier(p_score int, p_completed int, p_finished int)
returns text language sql immutable as $$
  select case
    when p_completed < 3 then 'unverified'
    when p_score >= 900 and p_completed >= 500 and 20 * p_completed >= 19 * p_finished then 'elite'
    when p_score >= 750 and p_completed >= 100 and 10 * p_completed >= 9 * p_finished then 'trusted'
    when p_score >= 600 and p_completed >= 20 and 5 * p_completed >= 4 * p_finished then 'established'
    else 'provisional' end
$$`,
);

const capacity = Object.entries(openTasksByTier)
  .map(([tier, tasks]) => `when '${tier}' then ${tasks}`)
  .join(' ');

/** How many open tasks an agent may hold before smart routing passes it over. */
defineFunction(
  'agent_capacity',
  `create or replace function agent_capacity(p_tier text) returns int language sql immutable as $$
  select case p_tier ${capacity} else 0 end
$$`,
);

/**
 * Counts tasks that were routed to agents, or hired directly and now started, which changes neither score nor tier. An
 * agent stands in the array once for each.
 */
defineFunction(
  'agents_assign',
  `create or replace function agents_assign(p_agent uuid[]) returns void language sql as $$
  with assigned as materialized (
    select a.agent, count(*)::int as tasks from unnest(p_agent) as a(agent) group by a.agent order by a.agent
  ), locked as materialized (
    select a.* from assigned a
    cross join lateral (select from agent_stats where agent_id = a.agent for update) s
  )
  update agent_stats s set open_tasks = s.open_tasks + l.tasks from locked l where s.agent_id = l.agent
$$`,
);

/**
 * Counts what happened to agents and derives score, tier and suspension from it. What happened, in order, is one of:
 * released (the agent lost the task without blame), declined (the same, by its own answer), passed, failed, refunded
 * (after it had passed), up, down, up_withdrawn, down_withdrawn, failure_struck (an appeal was upheld), shared (part of
 * a price went back), dispute_lost (by an agent as the buyer). Three failures in a row suspend (spec, Agent states).
 * `p_correlation` names the task of each. The event of a suspension carries that of the failure which caused it; the
 * event of a new tier carries the last.
 */
defineFunction(
  'agents_record',
  `create or replace function agents_record(
  p_agent uuid[], p_what text[], p_quality int[], p_earned bigint[], p_at timestamptz[], p_correlation text[]
) returns void language plpgsql as $$
begin
  with item as materialized (
    select t.*, count(*) filter (where t.what = 'passed') over (partition by t.agent order by t.ord) as passes,
      count(*) filter (where t.what = 'passed') over (partition by t.agent) as all_passes
    from unnest(p_agent, p_what, p_quality, p_earned, p_at, p_correlation) with ordinality
      as t(agent, what, quality, earned, at, correlation, ord)
  ), counted as materialized (
    select agent, max(at) as at,
      (-count(*) filter (where what in ('released', 'declined', 'passed', 'failed')))::int as open,
      bool_or(what in ('declined', 'passed', 'failed')) as answered,
      (count(*) filter (where what = 'passed') - count(*) filter (where what = 'refunded'))::int as completed,
      (count(*) filter (where what = 'failed') - count(*) filter (where what = 'failure_struck'))::int as failed,
      (count(*) filter (where what = 'refunded'))::int as refunded,
      (count(*) filter (where what = 'up') - count(*) filter (where what = 'up_withdrawn'))::int as up,
      (count(*) filter (where what = 'down') - count(*) filter (where what = 'down_withdrawn'))::int as down,
      (count(*) filter (where what = 'dispute_lost'))::int as disputes_lost,
      sum(quality)::bigint as quality, sum(earned)::bigint as earned, max(all_passes) > 0 as passed,
      -- Failures in a row: those before the first pass continue what the agent had, those after the last one stay.
      (count(*) filter (where what = 'failed' and passes = 0))::int as first_run,
      (count(*) filter (where what = 'failed' and passes = all_passes))::int as last_run
    from item group by agent order by agent
  ), runs as materialized (
    -- Between passes a row of failures may have come and gone; it suspends all the same.
    select agent, max(length)::int as longest from (
      select agent, count(*) as length from item where what = 'failed' and passes > 0 group by agent, passes
    ) r group by agent
  ), now as (
    select c.agent, c.at,
      case when not c.answered then s.unanswered_since end as unanswered_since, s.trust_tier as tier_before, s.consecutive_failures as failures_before,
      s.open_tasks + c.open as open, s.completed + c.completed as completed, s.failed + c.failed as failed,
      s.refunded + c.refunded as refunded, s.thumbs_up + c.up as up, s.thumbs_down + c.down as down,
      s.disputes_lost + c.disputes_lost as disputes_lost,
      s.quality_sum + c.quality as quality, s.earned_cents + c.earned as earned,
      s.completed + c.completed + s.failed + c.failed + s.refunded + c.refunded as finished,
      case when c.passed then 0 else s.consecutive_failures end + c.last_run as consecutive,
      greatest(case when c.first_run > 0 then s.consecutive_failures + c.first_run end, r.longest) as longest_run
    from counted c
    cross join lateral (select * from agent_stats where agent_id = c.agent for update) s
    left join runs r on r.agent = c.agent
  ), scored as materialized (
    select n.*, agent_score(
      agent_outcome(n.quality, n.finished), agent_relationship(n.up, n.down + n.disputes_lost),
      agent_economic(n.earned), agent_reliability(n.completed, n.finished)) as score
    from now n
  ), changed as (
    update agent_stats s set
      open_tasks = n.open, completed = n.completed, failed = n.failed, refunded = n.refunded,
      thumbs_up = n.up, thumbs_down = n.down, disputes_lost = n.disputes_lost, quality_sum = n.quality, earned_cents = n.earned,
      consecutive_failures = n.consecutive, unanswered_since = n.unanswered_since, overall_score = n.score,
      trust_tier = agent_tier(n.score, n.completed, n.finished)
    -- By key and not by ctid, for the row may be newer than this statement's snapshot (see tasks/steps/states.ts).
    from scored n where s.agent_id = n.agent
    returning n.agent, n.at, n.tier_before, s.trust_tier as tier
  ), suspended as (
    update agents a set status = 'suspended', updated_at = n.at from scored n
    where a.id = n.agent and a.status = 'active' and n.longest_run >= ${failuresBeforeSuspension}
    returning a.id, a.owner_id, n.at, n.longest_run, n.failures_before
  )
  insert into events (type, district, at, agent_id, owner_id, correlation_id, data)
  select 'agent.tier_changed', 'registry', c.at, c.agent, a.owner_id, i.correlation,
    json_build_object('from', c.tier_before, 'to', c.tier)
  from changed c
  cross join lateral (select owner_id from agents where id = c.agent limit 1) a
  cross join lateral (select x.correlation from item x where x.agent = c.agent order by x.ord desc limit 1) i
  where c.tier <> c.tier_before
  union all
  select 'agent.suspended', 'registry', s.at, s.id, s.owner_id, f.correlation,
    json_build_object('consecutiveFailures', s.longest_run)
  from suspended s cross join lateral (
    select r.correlation from (
      select x.ord, x.correlation, row_number() over (partition by x.passes order by x.ord)
        + case when x.passes = 0 then s.failures_before else 0 end as length
      from item x where x.agent = s.id and x.what = 'failed'
    ) r where r.length >= ${failuresBeforeSuspension} order by r.ord limit 1
  ) f;
end $$`,
);
