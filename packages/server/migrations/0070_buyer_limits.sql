-- Whose tasks agents take, by the records of buyers; null: everybody's but those of unusual buyers.
alter table policies add column buyer_limits jsonb;
-- What the policies of an agent and its owner say together: the stricter of each limit.
alter table agents add column buyer_limits jsonb;
alter table agent_listings add column buyer_limits jsonb;

drop function work_rules(uuid, uuid);
create function work_rules(p_owner uuid, p_agent uuid)
returns table (takes text[], works jsonb, blocked uuid[], buyer_limits jsonb, is_open boolean) language sql stable as $$
  select
    case
      when o.allowed_categories is null then a.allowed_categories
      when a.allowed_categories is null then o.allowed_categories
      else array(select c from unnest(a.allowed_categories) c where c = any(o.allowed_categories))
    end,
    (select jsonb_agg(h) from unnest(array[o.operating_hours, a.operating_hours]) h where h is not null),
    nullif(o.blocked_agents || o.blocked_owners || a.blocked_agents || a.blocked_owners, '{}'),
    case when coalesce(o.buyer_limits, a.buyer_limits) is not null then jsonb_strip_nulls(jsonb_build_object(
      'minTasks', greatest((o.buyer_limits ->> 'minTasks')::int, (a.buyer_limits ->> 'minTasks')::int),
      'minPassRate', greatest((o.buyer_limits ->> 'minPassRate')::float8, (a.buyer_limits ->> 'minPassRate')::float8),
      'maxRefundRate', least((o.buyer_limits ->> 'maxRefundRate')::float8, (a.buyer_limits ->> 'maxRefundRate')::float8),
      'verifiedPayment', greatest((o.buyer_limits ->> 'verifiedPayment')::boolean, (a.buyer_limits ->> 'verifiedPayment')::boolean)
    )) end,
    coalesce(o.is_open, true) and coalesce(a.is_open, true)
  from (select) one
  left join policies o on o.subject_id = p_owner
  left join policies a on a.subject_id = p_agent
$$;

create or replace function agents_obey() returns trigger language plpgsql as $$
begin
  perform from policies where subject_id = new.owner_id for share;
  if found then
    select * into new.takes, new.works, new.blocked, new.buyer_limits, new.is_open from work_rules(new.owner_id, new.id);
  end if;
  return new;
end $$;

-- What is known of the owner's other agents in the category, also of those that it has deactivated: the weight of their
-- evidence, and weight × value. A new name of an owner starts from it. Null where nothing is known.
alter table agent_listings add column kin_mass float8, add column kin_good float8;

create function kin_evidence(p_agent uuid, p_owner uuid, p_category text)
returns table (mass float8, good float8) language sql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  select sum(d.alpha + d.beta), sum(d.alpha) from (select id from agents where owner_id = p_owner and id <> p_agent order by id limit 100) a
  cross join lateral (select alpha, beta from agent_domains where agent_id = a.id and category = p_category limit 1) d
$$;

create or replace function agent_listings_of(p_agents uuid[]) returns setof agent_listings language sql stable as $$
  select a.id, c.name, a.owner_id, price_band(a.base_rate_cents), a.base_rate_cents,
    array(
      select distinct lower(t.tag) as tag from jsonb_array_elements(a.capabilities) k
      cross join jsonb_array_elements_text(k -> 'tags') as t(tag) where k ->> 'category' = c.name order by tag
    ),
    coalesce(r.trust_tier, 'unverified'), coalesce(d.score, -1), d.alpha, d.beta, coalesce(r.alpha / (r.alpha + r.beta), 0.5),
    random(), false, a.blocked, exists (select from owner_principals where owner_id = a.owner_id and principal_id = owner_id),
    a.buyer_limits, k.mass, k.good
  from unnest(p_agents) as p(id)
  cross join lateral (select * from agents where id = p.id limit 1) a
  cross join lateral (select distinct x from unnest(a.categories) as u(x)) as c(name)
  left join lateral (select * from reputations where agent_id = a.id limit 1) r on true
  left join lateral (select * from agent_domains where agent_id = a.id and category = c.name limit 1) d on true
  cross join lateral kin_evidence(a.id, a.owner_id, c.name) k
  where a.status = 'active' and a.availability = 'available' and a.is_open and (a.takes is null or c.name = any(a.takes))
  order by c.name
$$;

create or replace function agents_list() returns trigger language plpgsql as $$
begin
  -- In the order in which scores are written, so that neither waits for the other in a circle.
  perform from agent_listings where agent_id = new.id order by category for update;
  delete from agent_listings where agent_id = new.id
    and not (new.status = 'active' and new.availability = 'available' and category = any(new.categories)
      and new.is_open and (new.takes is null or category = any(new.takes)));
  insert into agent_listings select * from agent_listings_of(array[new.id])
  on conflict (agent_id, category) do update
    set price_band = excluded.price_band, price = excluded.price, tags = excluded.tags, blocked = excluded.blocked,
      buyer_limits = excluded.buyer_limits, kin_mass = excluded.kin_mass, kin_good = excluded.kin_good
    where (agent_listings.price, agent_listings.tags, agent_listings.blocked, agent_listings.buyer_limits, agent_listings.kin_mass,
      agent_listings.kin_good) is distinct from
      (excluded.price, excluded.tags, excluded.blocked, excluded.buyer_limits, excluded.kin_mass, excluded.kin_good);
  return null;
end $$;
drop trigger agents_list on agents;
create trigger agents_list
  after insert or update of capabilities, categories, availability, status, base_rate_cents, takes, blocked, buyer_limits, is_open
  on agents for each row execute function agents_list();

-- It now also tells the newcomers among the owner's other agents. A listing that somebody writes waits for their next task.
create or replace function agent_domains_list() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with due as materialized (
    select w.* from (select agent_id, category, score, alpha, beta from written order by agent_id, category) w
    cross join lateral (
      select from agent_listings l where l.agent_id = w.agent_id and l.category = w.category
        and (l.score, l.alpha, l.beta) is distinct from (w.score, w.alpha, w.beta) for update
    ) l
  )
  update agent_listings l set score = d.score, alpha = d.alpha, beta = d.beta
  from due d where l.agent_id = d.agent_id and l.category = d.category;

  with sellers as materialized (
    select distinct a.owner_id, w.category from written w cross join lateral (select owner_id from agents where id = w.agent_id limit 1) a
  ), due as materialized (
    select l.agent_id, l.category, l.owner_id from sellers s cross join lateral (
      select * from agent_listings l
      where l.owner_id = s.owner_id and l.category = s.category and l.alpha is null and not l.silent
      limit 100 for update skip locked
    ) l
  )
  update agent_listings l set kin_mass = k.mass, kin_good = k.good
  from due d cross join lateral kin_evidence(d.agent_id, d.owner_id, d.category) k
  where l.agent_id = d.agent_id and l.category = d.category;
  return null;
end $$;

-- It now takes the buyer and its agent apart, and looks at the buyer's record.
drop function if exists agent_candidates(text, uuid[], bigint, uuid[], timestamptz, text[], float8, int, int, int, uuid[], boolean, uuid[], boolean[]);
