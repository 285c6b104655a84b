-- A webhook is an agent's or, without one, its owner's own.
alter table webhooks alter column agent_id drop not null, add column owner_id uuid references owners on delete cascade;
update webhooks w set owner_id = a.owner_id from agents a where a.id = w.agent_id;
alter table webhooks alter column owner_id set not null;
drop index webhooks_of_agent;
create index webhooks_of_holder on webhooks (coalesce(agent_id, owner_id), id);
create index webhooks_of_owner on webhooks (owner_id);

-- Of a message about no task: the event that it tells of.
alter table webhook_deliveries add column event_seq bigint;
