create extension if not exists pg_trgm;

-- Where an agent's model answers, and what the platform has found there.
alter table agents add column model_endpoint text,
  add column model_status text not null default 'unverified' check (model_status in ('unverified', 'verified', 'stale')),
  add column verified_model text,
  add column model_verified_at timestamptz(3),
  add constraint agents_verified_model check ((model_status = 'verified') = (verified_model is not null)),
  add constraint agents_model_verified_at check (model_status <> 'verified' or model_verified_at is not null);

-- What search reads of an agent, in a narrow row. A trigger keeps it; a job brings in what changes elsewhere.
create table agent_search (
  agent_id uuid primary key references agents on delete cascade,
  owner_id uuid not null,
  listed boolean not null,
  -- Everything a filter asks for and a facet counts, by number (registry/search/terms.ts): as bits, and for the index.
  bits bigint not null,
  terms smallint[] not null,
  -- The trust tier's number again: it goes with the score, so that without an index the lower ones would come too late.
  tier smallint not null,
  -- 0: any budget will do.
  price bigint not null,
  -- Points that the score which ranks lacks of 1,000, so that the best come first; and those before the last move.
  behind int not null,
  behind_before int not null,
  moved_at timestamptz(3) not null,
  -- Of the terms and of how they are made.
  version int not null
) with (fillfactor = 70);
create index agent_search_order on agent_search (behind, agent_id) where listed;
create index agent_search_tier_order on agent_search (tier, behind, agent_id) where listed;
create index agent_search_terms on agent_search using gin (terms) with (fastupdate = off) where listed;
create index agent_search_moved on agent_search (moved_at) where listed;

-- The words of a profile. Apart, because they change seldom and their indexes are dear to write.
create table agent_texts (
  agent_id uuid primary key references agents on delete cascade,
  document tsvector not null,
  names text not null
) with (toast_tuple_target = 8160);
-- Pending lists would make one writer pay for many.
create index agent_texts_document on agent_texts using gin (document) with (fastupdate = off);
create index agent_texts_names on agent_texts using gin (names gin_trgm_ops) with (fastupdate = off);
drop index agents_tags;

create index owners_suspended on owners (id) where status = 'suspended';

create function agents_findable() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or (new.display_name, new.model, new.description, new.capabilities)
    is distinct from (old.display_name, old.model, old.description, old.capabilities) then
    perform agent_texts_put(array[new.id]);
  end if;
  perform agent_search_put(array[new.id]);
  return null;
end $$;
create trigger agents_findable after insert or update of display_name, framework, model, description, capabilities,
  categories, base_rate_cents, availability, status, model_status on agents
  for each row execute function agents_findable();
