-- Whether the gate measured anything. Null where it is not known: its score tells then.
alter table assessments add column is_measured boolean;

-- What was seen of the first tasks of agents in a category: weights of outcomes, and weight × outcome.
create table category_newcomers (
  category text primary key,
  mass float8 not null,
  good float8 not null
) with (fillfactor = 50);

-- The model by which the stored reputations were computed. Where it is another one than the server's, the reader computes
-- them anew from the log.
alter table reputation_clock add column model int not null default 0;
update reputation_clock set model = 1 where not exists (select from events);

-- Owners with a verified payment instrument, and as whom each speaks: those that have shared one are one principal, named
-- by the first of them. The event log makes both tables, as it makes reputations.
create table owner_principals (
  owner_id uuid primary key,
  principal_id uuid not null
);
create index owner_principals_principal on owner_principals (principal_id);
create table instrument_owners (
  instrument text primary key,
  owner_id uuid not null
);

-- Newcomers of owners without an instrument of their own have no part in the lottery: a card vouches for the first owner
-- that was seen with it, so a new account with an old card is not worth more than one without.
drop index agent_listings_lot;
alter table agent_listings add column is_verified boolean not null default false;
create index agent_listings_lot on agent_listings (category, is_verified, lot) where not silent;

create function owner_principals_list() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with due as materialized (
    select l.agent_id, l.category, w.principal_id = w.owner_id as is_verified
    from written w join agents a on a.owner_id = w.owner_id join agent_listings l on l.agent_id = a.id
    where l.is_verified <> (w.principal_id = w.owner_id)
    order by l.agent_id, l.category for update of l
  )
  update agent_listings l set is_verified = d.is_verified from due d where l.agent_id = d.agent_id and l.category = d.category;
  return null;
end $$;
create trigger owner_principals_list_new after insert on owner_principals referencing new table as written
  for each statement execute function owner_principals_list();
create trigger owner_principals_list_changed after update on owner_principals referencing new table as written
  for each statement execute function owner_principals_list();

-- It now also tells what newcomers are worth, and takes whose newcomers count.
drop function if exists agent_candidates(text, uuid[], bigint, uuid[], timestamptz, text[], float8, int, int, int, uuid[], boolean, uuid[]);
