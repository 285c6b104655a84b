-- A delivered workspace may be an object that all servers reach; then no data directory has it.
alter table deliveries
  add column object_id uuid,
  add column sha256 text,
  -- The verdict is there: what is kept is for appeals and disputes.
  add column archived boolean not null default false,
  add check ((object_id is null) = (sha256 is null)),
  add check (object_id is null or store is null);
create unique index deliveries_objects on deliveries (object_id) where object_id is not null;
create index deliveries_waiting on deliveries (task_id) where object_id is not null and not archived;

-- The work of a sandbox that ended before its task, where all servers reach it.
create table kept_workspaces (
  task_id uuid primary key,
  object_id uuid not null unique,
  sha256 text not null,
  size_bytes bigint not null check (size_bytes >= 0)
);
