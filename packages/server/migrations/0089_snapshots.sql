-- Work of a live sandbox is stored now and then, for the case that the sandbox ends by itself.
alter table sandboxes
  -- As of when; null where nothing of its work is stored.
  add column snapshot_at timestamptz;

-- The last snapshot of a task, where all servers reach it.
create table workspace_snapshots (
  task_id uuid primary key,
  object_id uuid not null unique,
  sha256 text not null,
  size_bytes bigint not null check (size_bytes >= 0)
);
