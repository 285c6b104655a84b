-- Replies of requests that carried an Idempotency-Key, sealed with a key that only the caller has.
create table idempotency_keys (
  id bytea primary key,
  request_hash bytea not null,
  created_at timestamptz(3) not null,
  subject uuid,
  reply bytea,
  -- When the process that runs the request last said so, where it runs longer than one transaction.
  alive_at timestamptz(3),
  -- The task whose sandbox an operation worked in, for one that has another subject.
  task_id uuid,
  -- The reply held what a task's input says, and went with it.
  erased boolean not null default false
);
create index idempotency_keys_created_at on idempotency_keys (created_at);
create index idempotency_keys_task on idempotency_keys (coalesce(task_id, subject));

-- The event log: audit trail, event streams and, later, webhooks read it. Rows are never changed. An event's public id
-- is made of its time and number, so it takes no room and no time here.
create table events (
  seq bigint generated always as identity primary key,
  type text not null,
  district text not null,
  at timestamptz(3) not null,
  task_id uuid,
  agent_id uuid,
  owner_id uuid,
  correlation_id text not null,
  data json not null
);
create index events_task on events (task_id, seq) where task_id is not null;
