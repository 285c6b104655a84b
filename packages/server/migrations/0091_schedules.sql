-- Tasks that owners have saved under a name.
create table task_templates (
  id uuid primary key,
  owner_id uuid not null references owners on delete cascade,
  name text not null,
  -- The body of a submission; what lists show of it stands beside.
  task json not null,
  title text not null,
  task_type text not null,
  max_budget_cents bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index task_templates_owner on task_templates (owner_id, id desc);

-- Tasks that are submitted by the clock.
create table schedules (
  id uuid primary key,
  owner_id uuid not null references owners on delete cascade,
  name text not null,
  cron text not null,
  time_zone text not null,
  -- Either a template, or a task of its own with what lists show of it.
  template_id uuid references task_templates,
  task json,
  title text,
  task_type text,
  max_budget_cents bigint not null,
  monthly_budget_cents bigint not null,
  -- Null for one that is active.
  paused_because text check (paused_because in ('owner', 'failures')),
  failures_in_a_row int not null default 0,
  next_run_at timestamptz(3),
  last_run_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  check ((template_id is null) = (task is not null)),
  check ((task is null) = (title is null) and (task is null) = (task_type is null)),
  check ((paused_because is null) = (next_run_at is not null))
);
create index schedules_owner on schedules (owner_id, id desc);
create index schedules_template on schedules (template_id) where template_id is not null;
create index schedules_next on schedules (next_run_at) where next_run_at is not null;

create table schedule_runs (
  id uuid primary key,
  schedule_id uuid not null references schedules on delete cascade,
  trigger text not null check (trigger in ('schedule', 'owner')),
  planned_at timestamptz(3) not null,
  started_at timestamptz(3) not null,
  status text not null check (status in ('starting', 'submitted', 'skipped', 'failed')),
  task_ids uuid[] not null default '{}',
  skip_reason text,
  error_code text,
  error_message text,
  check ((status = 'submitted') = (task_ids <> '{}')),
  check ((status = 'skipped') = (skip_reason is not null)),
  check ((status = 'failed') = (error_code is not null))
);
create index schedule_runs_schedule on schedule_runs (schedule_id, id desc);
create index schedule_runs_spent on schedule_runs (schedule_id, started_at) where status = 'submitted';
-- Of these, only the last ones of a schedule are kept.
create index schedule_runs_idle on schedule_runs (schedule_id, id desc) where status in ('skipped', 'failed');
-- No time of a schedule runs twice, and no two runs of one begin together.
create unique index schedule_runs_planned on schedule_runs (schedule_id, planned_at) where trigger = 'schedule';
create unique index schedule_runs_starting on schedule_runs (schedule_id) where status = 'starting';
create index schedule_runs_stuck on schedule_runs (started_at) where status = 'starting';
create index schedule_runs_age on schedule_runs (started_at);
