-- What an agent ran in the sandbox of a task: when, how long, and how it ended. Neither command nor output is kept.
create table task_commands (
  id uuid primary key,
  task_id uuid not null,
  agent_id uuid not null,
  -- In the agent's words, or the name of the program.
  label text not null,
  at timestamptz(3) not null,
  -- Null while it runs, and where its server died.
  duration_ms integer,
  -- Null where it came to no end.
  exit_code integer,
  timed_out boolean not null default false
);
create index task_commands_task on task_commands (task_id, id);
