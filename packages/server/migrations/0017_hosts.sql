-- The server processes on this database, one row a start.
create table hosts (
  id uuid primary key,
  -- Its data directory: what lies there is at hand again for the next process that serves the directory.
  store uuid not null,
  -- Which process of which machine it is, for those on the same machine to look whether it lives.
  process text not null,
  -- Where the other servers reach it; null where they cannot.
  address text,
  -- Told from another secret's, or from another place of objects, without telling either.
  secret_mark text not null,
  objects_mark text not null,
  started_at timestamptz(3) not null,
  -- How often it has said that it lives, and when it did last, by the clock of the database.
  beats bigint not null default 0,
  beat_at timestamptz(3) not null,
  -- Set when it stopped, or when others found it dead: from then on nothing is held there.
  ended_at timestamptz(3)
) with (fillfactor = 50);
create unique index hosts_one_of_store on hosts (store) where ended_at is null;
create index hosts_store on hosts (store);

-- Where the workspace lies that was delivered with a task, while the gate, an appeal or a dispute may want it.
create table deliveries (
  task_id uuid primary key,
  -- The data directory; null where all servers reach it.
  store uuid,
  size_bytes bigint not null check (size_bytes >= 0)
);

-- Which process runs the gate, or assesses again; null for what an older version has begun.
alter table tasks add column gate_host uuid;
alter table disputes add column leased_by uuid;
alter table appeals add column leased_by uuid;

-- The data directory that has the contents; null where all servers reach them.
alter table artifact_sets add column store uuid;
