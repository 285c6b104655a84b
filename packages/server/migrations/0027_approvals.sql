-- Submissions that wait for their owner. Nothing is held for them; the submission is erased with the decision.
create table approvals (
  id uuid primary key,
  owner_id uuid not null references owners,
  agent_id uuid not null references agents,
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'expired')),
  task_type text not null,
  max_budget bigint not null,
  description text,
  -- The limit in cents that the submission exceeds.
  threshold bigint not null,
  submission json,
  task_id uuid constraint approvals_task_key unique,
  note text,
  correlation_id text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  decided_at timestamptz(3),
  constraint approvals_end check (
    (status = 'pending') = (decided_at is null) and (status = 'pending') = (submission is not null)
    and (status = 'approved') = (task_id is not null)
  )
);
create index approvals_owner on approvals (owner_id, id);
create index approvals_pending on approvals (expires_at) where status = 'pending';
