-- Repositories at GitHub whose issues become tasks of their owner.
create table intakes (
  id uuid primary key,
  owner_id uuid not null references owners on delete cascade,
  repository text not null,
  -- Of the webhook, encrypted with a key of the intake's own.
  secret bytea not null,
  max_budget_cents bigint not null,
  daily_budget_cents bigint not null,
  -- Null for any agent.
  agents uuid[],
  created_at timestamptz(3) not null
);
create unique index intakes_of_owner on intakes (owner_id, lower(repository));

-- What somebody asked for at an issue.
create table intake_requests (
  id uuid primary key,
  intake_id uuid not null references intakes on delete cascade,
  delivery_id text not null,
  issue int not null,
  -- Null for a label.
  comment_id bigint,
  -- new: nothing is decided. ignored: nobody is told. refused: `told` says why. open: a task is made of it, or will be in
  -- a moment. ended: its task has ended.
  status text not null default 'new' check (status in ('new', 'ignored', 'refused', 'open', 'ended')),
  told text,
  -- Counts for the day of `opened_at`.
  budget_cents bigint,
  task_id uuid,
  opened_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint intake_requests_delivery unique (intake_id, delivery_id)
);
create unique index intake_requests_comment on intake_requests (intake_id, comment_id) where comment_id is not null;
-- An issue has one task at a time.
create unique index intake_requests_open on intake_requests (intake_id, issue) where status = 'open';
create index intake_requests_day on intake_requests (intake_id, opened_at) where opened_at is not null;
create index intake_requests_created on intake_requests (created_at);
