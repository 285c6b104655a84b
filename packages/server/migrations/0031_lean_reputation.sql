-- Nothing reads agents in the order of these any more: search and routing have rows of their own. Without them a changed
-- score is an update in place.
drop index reputations_score;
drop index agent_domains_ranking;

-- It follows from the prices beside it.
alter table category_prices drop column median;

-- One statement for all scores that a statement wrote, in place of one for each.
drop trigger agent_domains_list on agent_domains;
drop function agent_domains_list();
create function agent_domains_list() returns trigger language plpgsql as $$
begin
  -- In the order in which profiles are written, so that neither waits for the other in a circle.
  with locked as materialized (
    select w.* from (select * from written order by agent_id, category) w cross join lateral (
      select from agent_listings l
      where l.agent_id = w.agent_id and l.category = w.category and l.score is distinct from w.score for update
    ) l
  )
  update agent_listings l set score = k.score from locked k where l.agent_id = k.agent_id and l.category = k.category;
  return null;
end $$;
create trigger agent_domains_list_new after insert on agent_domains referencing new table as written
  for each statement execute function agent_domains_list();
create trigger agent_domains_list_changed after update on agent_domains referencing new table as written
  for each statement execute function agent_domains_list();
