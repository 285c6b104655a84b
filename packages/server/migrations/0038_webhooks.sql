-- Where agents are told of their tasks, and how each endpoint fares.
create table webhooks (
  id uuid primary key,
  agent_id uuid not null references agents on delete cascade,
  url text not null,
  events text[] not null,
  -- Encrypted, as is the one before, which counts for a while after a rotation.
  secret bytea not null,
  previous_secret bytea,
  rotated_at timestamptz(3),
  enabled boolean not null default true,
  created_at timestamptz(3) not null,
  -- Messages so far; each has its number.
  sequence bigint not null default 0,
  -- Messages that wait.
  waiting int not null default 0 check (waiting >= 0),
  -- Finished messages up to this number were deleted.
  forgotten bigint not null default 0,
  -- When its next round of attempts may begin; null while there is nothing to send. Set at `set_at`, so that a clock that
  -- was set back is noticed.
  next_at timestamptz(3),
  set_at timestamptz(3),
  -- Why new messages do not begin a round: one is under way (until `next_at` at the latest), or the endpoint failed.
  held text check (held in ('round', 'failure')),
  -- Only the round with this number may say how it ended.
  rounds bigint not null default 0,
  -- Counts what gave it something to send, so that a round notices what came while it ran.
  nudges bigint not null default 0,
  -- Rounds without a success since the last success, and when they began.
  failures int not null default 0,
  failing_since timestamptz(3),
  -- Its last round succeeded, and quickly.
  is_prompt boolean not null default false
) with (fillfactor = 50);
create index webhooks_of_agent on webhooks (agent_id, id);
create index webhooks_due on webhooks (is_prompt, next_at) where enabled and next_at is not null;

-- What is said is made when it is sent: nothing of a task is copied here, so what is erased there is erased.
create table webhook_deliveries (
  id uuid primary key,
  webhook_id uuid not null references webhooks on delete cascade,
  sequence bigint not null,
  type text not null,
  task_id uuid,
  created_at timestamptz(3) not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  -- Not before this time; null: at once.
  due_at timestamptz(3),
  attempted_at timestamptz(3),
  duration_ms int,
  status_code int,
  error text,
  excerpt text,
  constraint webhook_deliveries_sequence unique (webhook_id, sequence)
) with (fillfactor = 70);
create index webhook_deliveries_pending on webhook_deliveries (webhook_id, due_at nulls first, sequence)
  where status = 'pending';

-- What happened before there were webhooks is told to nobody.
insert into outbox_readers (name, seq)
select 'webhooks', coalesce(max(seq), 0) from events;
