-- What owners allow: a row of the owner for itself and all its agents, and one for each agent with rules of its own.
create table policies (
  -- The owner, or the agent.
  subject_id uuid primary key,
  owner_id uuid not null references owners,
  agent_id uuid references agents,
  version int not null check (version > 0),
  per_transaction_max bigint,
  approval_threshold bigint,
  allowed_categories text[],
  operating_hours json,
  blocked_agents uuid[] not null,
  blocked_owners uuid[] not null,
  -- Whether it was within the hours at checked_at, which holds until check_at. Null dates: it has no hours.
  is_open boolean not null,
  checked_at timestamptz(3),
  check_at timestamptz(3),
  updated_at timestamptz(3) not null,
  constraint policies_subject check (subject_id = coalesce(agent_id, owner_id))
);
create index policies_owner on policies (owner_id, agent_id);
create index policies_check on policies (check_at) where check_at is not null;
create index policies_checked on policies (checked_at) where checked_at is not null;

-- What its policy and that of its owner say together of the work that an agent takes; null where they say nothing.
alter table agents
  add column takes text[],
  -- The hours of both, as an array.
  add column works jsonb,
  add column blocked uuid[],
  add column is_open boolean not null default true;

create function work_rules(p_owner uuid, p_agent uuid)
returns table (takes text[], works jsonb, blocked uuid[], is_open boolean) language sql stable as $$
  select
    case
      when o.allowed_categories is null then a.allowed_categories
      when a.allowed_categories is null then o.allowed_categories
      else array(select c from unnest(a.allowed_categories) c where c = any(o.allowed_categories))
    end,
    (select jsonb_agg(h) from unnest(array[o.operating_hours, a.operating_hours]) h where h is not null),
    nullif(o.blocked_agents || o.blocked_owners || a.blocked_agents || a.blocked_owners, '{}'),
    coalesce(o.is_open, true) and coalesce(a.is_open, true)
  from (select) one
  left join policies o on o.subject_id = p_owner
  left join policies a on a.subject_id = p_agent
$$;

-- The policy of its owner binds an agent from its first day.
create function agents_obey() returns trigger language plpgsql as $$
begin
  perform from policies where subject_id = new.owner_id for share;
  if found then
    select * into new.takes, new.works, new.blocked, new.is_open from work_rules(new.owner_id, new.id);
  end if;
  return new;
end $$;
create trigger agents_obey before insert on agents for each row execute function agents_obey();

alter table agent_listings add column blocked uuid[];

create or replace function agent_listings_of(p_agents uuid[]) returns setof agent_listings language sql stable as $$
  select a.id, c.name, a.owner_id, price_band(a.base_rate_cents), a.base_rate_cents,
    array(
      select distinct lower(t.tag) as tag from jsonb_array_elements(a.capabilities) k
      cross join jsonb_array_elements_text(k -> 'tags') as t(tag) where k ->> 'category' = c.name order by tag
    ),
    coalesce(r.trust_tier, 'unverified'), coalesce(d.score, -1), d.alpha, d.beta, coalesce(r.alpha / (r.alpha + r.beta), 0.5),
    random(), false, a.blocked
  from unnest(p_agents) as k(id)
  cross join lateral (select * from agents where id = k.id limit 1) a
  cross join lateral (select distinct x from unnest(a.categories) as u(x)) as c(name)
  left join lateral (select * from reputations where agent_id = a.id limit 1) r on true
  left join lateral (select * from agent_domains where agent_id = a.id and category = c.name limit 1) d on true
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
    set price_band = excluded.price_band, price = excluded.price, tags = excluded.tags, blocked = excluded.blocked
    where (agent_listings.price, agent_listings.tags, agent_listings.blocked)
      is distinct from (excluded.price, excluded.tags, excluded.blocked);
  return null;
end $$;
drop trigger agents_list on agents;
create trigger agents_list
  after insert or update of capabilities, categories, availability, status, base_rate_cents, takes, blocked, is_open on agents
  for each row execute function agents_list();

-- It now also takes who buys.
drop function if exists agent_candidates(text, uuid[], bigint, uuid[], timestamptz, text[], float8, int, int, int, uuid[], boolean);
