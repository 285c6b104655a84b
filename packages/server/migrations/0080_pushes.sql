-- A webhook may be about one task, or about the approval that lets it in: what a client of A2A wants to be told.
alter table webhooks add column about uuid, add column push jsonb, add check ((about is null) = (push is null));
drop index webhooks_of_holder;
create index webhooks_of_holder on webhooks (coalesce(about, agent_id, owner_id), id);
create index webhooks_pushes on webhooks (owner_id, id) where about is not null;
