-- A task may wait for its agent. `queue` is the category in which it waits or has waited; null for all others. `turn` says
-- when it joined the queue, and later when it left it for its agent, as a number that grows.
create sequence task_turns;
alter table tasks alter column agent_id drop not null, add column queue text, add column turn bigint,
  add constraint tasks_agentless check (
    agent_id is not null or queue is not null and turn is not null and status in ('submitted', 'failed')
  );
-- Tasks that wait now, and the turns that owners have had.
create index tasks_queue on tasks (queue, owner_id, turn) where agent_id is null and due_at is not null;
create index tasks_turns on tasks (queue, owner_id, turn) where agent_id is not null and turn is not null;
