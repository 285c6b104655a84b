import { defineFunction } from '../../platform/index.ts';

/**
 * What an agent spent by hiring others, in cents: holds placed after `p_after` (and, unless that is null, up to
 * `p_until`), less what was given back. An open task counts with its whole hold, an ended one with its charge, which is
 * nothing where it failed or was refunded.
 */
defineFunction(
  'agent_spend',
  `create or replace function agent_spend(p_agent uuid, p_after timestamptz, p_until timestamptz)
returns bigint language plpgsql stable as $$
begin
  if p_until is null then
    return (select coalesce(sum(coalesce(credits_charged, max_budget)), 0)::bigint from tasks
      where submitter_agent_id = p_agent and created_at > p_after);
  end if;
  return (select coalesce(sum(coalesce(credits_charged, max_budget)), 0)::bigint from tasks
    where submitter_agent_id = p_agent and created_at > p_after and created_at <= p_until);
end $$`,
);

/**
 * How much more agents may spend, for items in their order. Gives a row only where the agent has budget controls: the
 * most that one task may hold, the threshold for approvals, and the rolling window with the least room at the item's
 * time (null where there is no limit). Each window is summed once an agent, at its first item's time, as the shorter one
 * and what it has beyond that, so that no task is read twice; for items of other times only the difference is added.
 */
defineFunction(
  'vault_budget_room',
  `create or replace function vault_budget_room(p_ord bigint[], p_agent uuid[], p_at timestamptz[])
returns table (ord bigint, transaction_max bigint, approval_threshold bigint, "window" text, "limit" bigint, room bigint)
language plpgsql stable as $$
begin
  return query
  with item as materialized (
    select t.ord, t.agent, t.at from unnest(p_ord, p_agent, p_at) as t(ord, agent, at)
  ), limited as materialized (
    select f.agent, f.at, b.* from (select distinct on (i.agent) i.agent, i.at from item i order by i.agent, i.ord) f
    cross join lateral (select * from agent_budgets x where x.agent_id = f.agent) b
  ), rolling as materialized (
    select s.agent, s.at, s.name, s.span, s.most, s.spent from (
      select l.agent, l.at, w.name, w.span, w.most,
        sum(agent_spend(l.agent, l.at - w.span, l.at - w.inner_span)) over (partition by l.agent order by w.span)::bigint
          as spent
      from limited l cross join lateral (values
        ('day', interval '24 hours', null::interval, l.daily_limit, coalesce(l.daily_limit, l.weekly_limit, l.monthly_limit)),
        ('week', interval '7 days', interval '24 hours', l.weekly_limit, coalesce(l.weekly_limit, l.monthly_limit)),
        ('month', interval '30 days', interval '7 days', l.monthly_limit, l.monthly_limit)
      ) as w(name, span, inner_span, most, most_from_here)
      where w.most_from_here is not null
    ) s where s.most is not null
  )
  select i.ord, l.per_transaction_max, l.approval_threshold, r.name, r.most, r.room
  from item i cross join lateral (select * from limited x where x.agent = i.agent) l
  left join lateral (
    select x.name, x.most, x.most - x.spent
      + case when i.at > x.at then agent_spend(i.agent, x.at - x.span, i.at - x.span) else 0 end
      - case when i.at < x.at then agent_spend(i.agent, i.at - x.span, x.at - x.span) else 0 end as room
    from rolling x where x.agent = i.agent order by 3, x.span limit 1
  ) r on true;
end $$`,
);
