-- The pull requests that completed tasks are to become, and what came of them. A row is there from the moment at which the
-- delivered workspace was compared; it is acted upon once its task is completed.
create table pull_requests (
  task_id uuid primary key references tasks,
  status text not null default 'pending' check (status in ('pending', 'opened', 'failed')),
  -- What was asked for, and at which commit of which repository; null once nothing is left to be done.
  wanted jsonb,
  -- The object with the changes; null where there is none, and once it is not needed any more.
  object_id uuid unique,
  size_bytes bigint not null default 0,
  -- The data directory with the object; null where all servers reach it.
  store uuid,
  attempts int not null default 0,
  due_at timestamptz(3),
  -- Why there is none: known before a try where the comparison says so. Then what GitHub said.
  reason text,
  said text,
  url text,
  created_at timestamptz(3) not null,
  constraint pull_requests_due check ((status = 'pending') = (due_at is not null)),
  constraint pull_requests_opened check ((status = 'opened') = (url is not null))
);
create index pull_requests_due on pull_requests (due_at) where due_at is not null;
