-- A listing holds all that routing asks of an agent, but for what each task changes (agent_stats). So one row is read for
-- an agent that is met, where it were five. It follows from the other tables and is made anew.
drop trigger agents_list on agents;
drop trigger agent_domains_list_new on agent_domains;
drop trigger agent_domains_list_changed on agent_domains;
drop function agents_list();
drop function agent_domains_list();
drop table agent_listings;

create table agent_listings (
  agent_id uuid not null references agents,
  category text not null,
  owner_id uuid not null,
  price_band int not null,
  -- The list price in cents; null for none.
  price bigint,
  -- At this category, in lower case, each once.
  tags text[] not null,
  tier text not null,
  -- The agent's score in the category, for the order; -1 while it has none.
  score int not null,
  -- The Beta distribution of its work in the category; null while it has none.
  alpha float8,
  beta float8,
  -- Its mean over all categories, from which a new one starts.
  mean float8 not null,
  -- Where the lottery finds it.
  lot float8 not null,
  -- It has stopped polling. A job notes it, so that agents that are gone do not stand in the way of the others.
  silent boolean not null,
  primary key (agent_id, category)
) with (fillfactor = 70);
create index agent_listings_best on agent_listings (category, price_band, score desc) where not silent;
create index agent_listings_lot on agent_listings (category, lot) where not silent;
create index agent_listings_owner on agent_listings (owner_id, category) where not silent;

-- What stands in the listings of these agents. One that is made while a score of the agent is being stored may lack it; the
-- next event of the agent or the next midnight, when all scores are stored again, brings it.
create function agent_listings_of(p_agents uuid[]) returns setof agent_listings language sql stable as $$
  select a.id, c.name, a.owner_id, price_band(a.base_rate_cents), a.base_rate_cents,
    array(
      select distinct lower(t.tag) as tag from jsonb_array_elements(a.capabilities) k
      cross join jsonb_array_elements_text(k -> 'tags') as t(tag) where k ->> 'category' = c.name order by tag
    ),
    coalesce(r.trust_tier, 'unverified'), coalesce(d.score, -1), d.alpha, d.beta, coalesce(r.alpha / (r.alpha + r.beta), 0.5),
    random(), false
  from unnest(p_agents) as k(id)
  cross join lateral (select * from agents where id = k.id limit 1) a
  cross join lateral (select distinct x from unnest(a.categories) as u(x)) as c(name)
  left join lateral (select * from reputations where agent_id = a.id limit 1) r on true
  left join lateral (select * from agent_domains where agent_id = a.id and category = c.name limit 1) d on true
  where a.status = 'active' and a.availability = 'available'
  order by c.name
$$;

create function agents_list() returns trigger language plpgsql as $$
begin
  -- In the order in which scores are written, so that neither waits for the other in a circle.
  perform from agent_listings where agent_id = new.id order by category for update;
  delete from agent_listings where agent_id = new.id
    and not (new.status = 'active' and new.availability = 'available' and category = any(new.categories));
  insert into agent_listings select * from agent_listings_of(array[new.id])
  on conflict (agent_id, category) do update
    set price_band = excluded.price_band, price = excluded.price, tags = excluded.tags
    where (agent_listings.price, agent_listings.tags) is distinct from (excluded.price, excluded.tags);
  return null;
end $$;
create trigger agents_list after insert or update of capabilities, categories, availability, status, base_rate_cents on agents
  for each row execute function agents_list();

-- A new agent's reputation is stored in the statement of its profile, after it.
create function reputations_list() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with due as materialized (
    select l.agent_id, l.category, w.trust_tier as tier, w.mean
    from (select agent_id, trust_tier, alpha / (alpha + beta) as mean from written order by agent_id) w
    cross join lateral (
      select l.agent_id, l.category from agent_listings l
      where l.agent_id = w.agent_id and (l.tier, l.mean) is distinct from (w.trust_tier, w.mean) order by l.category for update
    ) l
  )
  update agent_listings l set tier = d.tier, mean = d.mean from due d where l.agent_id = d.agent_id and l.category = d.category;
  return null;
end $$;
create trigger reputations_list_new after insert on reputations referencing new table as written
  for each statement execute function reputations_list();
create trigger reputations_list_changed after update on reputations referencing new table as written
  for each statement execute function reputations_list();

create function agent_domains_list() returns trigger language plpgsql
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
  return null;
end $$;
create trigger agent_domains_list_new after insert on agent_domains referencing new table as written
  for each statement execute function agent_domains_list();
create trigger agent_domains_list_changed after update on agent_domains referencing new table as written
  for each statement execute function agent_domains_list();

insert into agent_listings select l.* from agents a cross join lateral agent_listings_of(array[a.id]) l;
