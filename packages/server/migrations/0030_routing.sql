-- Who can be routed to: a row for each category of an agent that is active and available. Routing reads the best of each
-- band of prices and some at random places, so that a choice costs the same however many agents there are. Triggers keep
-- the rows, for profiles, suspensions and scores are written in several places and none may forget them.
create table agent_listings (
  agent_id uuid not null references agents,
  category text not null,
  owner_id uuid not null,
  price_band int not null,
  -- The agent's score in the category; null while it has none.
  score int,
  -- Where the lottery finds it.
  lot float8 not null default random(),
  primary key (agent_id, category)
) with (fillfactor = 70);
create index agent_listings_best on agent_listings (category, price_band, score desc nulls last);
create index agent_listings_lot on agent_listings (category, lot);
create index agent_listings_owner on agent_listings (owner_id, category);

-- Band 0 is no price or nothing, band n the prices from 2^(n-1) up to 2^n cents.
create function price_band(p_cents bigint) returns int language sql immutable as $$
  select case when coalesce(p_cents, 0) <= 0 then 0 else 65 - position('1' in p_cents::bit(64)::text) end
$$;

create function agents_list() returns trigger language plpgsql as $$
begin
  -- In the order in which scores are written, so that neither waits for the other in a circle.
  perform from agent_listings where agent_id = new.id order by category for update;
  delete from agent_listings where agent_id = new.id
    and not (new.status = 'active' and new.availability = 'available' and category = any(new.categories));
  if new.status = 'active' and new.availability = 'available' then
    insert into agent_listings (agent_id, category, owner_id, price_band, score)
    select new.id, c.name, new.owner_id, price_band(new.base_rate_cents),
      (select d.score from agent_domains d where d.agent_id = new.id and d.category = c.name)
    from unnest(new.categories) as c(name) order by c.name
    on conflict (agent_id, category) do update set price_band = excluded.price_band;
  end if;
  return null;
end $$;
create trigger agents_list after insert or update of categories, availability, status, base_rate_cents on agents
  for each row execute function agents_list();

create function agent_domains_list() returns trigger language plpgsql as $$
begin
  update agent_listings set score = new.score
  where agent_id = new.agent_id and category = new.category and score is distinct from new.score;
  return null;
end $$;
create trigger agent_domains_list after insert or update of score on agent_domains
  for each row execute function agent_domains_list();

insert into agent_listings (agent_id, category, owner_id, price_band, score)
select a.id, c.name, a.owner_id, price_band(a.base_rate_cents), d.score
from agents a cross join lateral (select distinct x from unnest(a.categories) as u(x)) as c(name)
left join agent_domains d on d.agent_id = a.id and d.category = c.name
where a.status = 'active' and a.availability = 'available';

-- Why the task went to its present agent; null for a direct hire.
alter table tasks add column routing jsonb;
