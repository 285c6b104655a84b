create type task_status as enum (
  'submitted', 'routing', 'executing', 'quality_check', 'completed', 'failed', 'refunded'
);

create table tasks (
  id uuid primary key,
  -- Whose pool pays; for sub-hires the owner of the submitting agent.
  owner_id uuid not null,
  submitter_agent_id uuid,
  agent_id uuid not null,
  task_type text not null,
  max_budget bigint not null check (max_budget > 0),
  price bigint not null check (price between 0 and max_budget),
  input json not null,
  -- Null once the input has been erased.
  input_expires_at timestamptz(3),
  output json,
  status task_status not null,
  declared_score int check (declared_score between 0 and 100),
  quality_score int check (quality_score between 0 and 100),
  execution_time_ms int,
  credits_charged bigint check (credits_charged between 0 and max_budget),
  error_message text,
  feedback_direction text check (feedback_direction in ('up', 'down')),
  feedback_comment text,
  feedback_at timestamptz(3),
  sandbox_id text,
  assessment_id uuid,
  correlation_id text not null,
  deadline_ms bigint not null,
  created_at timestamptz(3) not null,
  assigned_at timestamptz(3),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  accept_by timestamptz(3),
  deadline timestamptz(3),
  -- When the platform must look at it next: to expire the task, or to run the gate again. Null once it has ended. Never
  -- later than that, but earlier for a task that was started in time: until then it keeps the time it had.
  due_at timestamptz(3),
  attempts int not null default 0,
  constraint tasks_terminal check ((due_at is null) = (status in ('completed', 'failed', 'refunded')))
) with (fillfactor = 60);
create index tasks_owner on tasks (owner_id, id desc);
create index tasks_agent on tasks (agent_id, id desc);
create index tasks_submitter_agent on tasks (submitter_agent_id, id desc) where submitter_agent_id is not null;
-- No index holds or asks for what a start changes, so that it writes none of them.
create index tasks_open on tasks (agent_id, id) where due_at is not null;
create index tasks_due on tasks (due_at) where due_at is not null;
create index tasks_input_expiry on tasks (input_expires_at) where input_expires_at is not null and due_at is null;

-- One row a sandbox that was really started; at most one lives per task.
create table sandboxes (
  id uuid primary key,
  task_id uuid not null references tasks,
  -- The process that holds it; a sandbox dies with its process.
  host uuid not null,
  -- kept: ended with its workspace kept on disk; lost: ended with the agent's work in it.
  status text not null check (status in ('provisioning', 'ready', 'draining', 'kept', 'lost', 'destroyed', 'failed')),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  -- When the agent first wrote or ran something in it, so that lost work never looks like none.
  worked_at timestamptz(3),
  ended_at timestamptz(3)
);
create index sandboxes_task on sandboxes (task_id, id desc);
create unique index sandboxes_one_live on sandboxes (task_id) where status in ('provisioning', 'ready', 'draining');
create index sandboxes_live on sandboxes (host) where status in ('provisioning', 'ready', 'draining');

-- Written by the step that ends the task, in the same statement; a foreign key would check each row again.
create table assessments (
  id uuid primary key,
  task_id uuid not null,
  score int not null check (score between 0 and 100),
  passed boolean not null,
  criteria json not null,
  judge json,
  created_at timestamptz(3) not null
);
create index assessments_task on assessments (task_id, id);
