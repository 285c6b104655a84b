-- The tree of a task's repository as it was cloned first. Its bytes are an object; what it names goes with the input.
create table task_repositories (
  task_id uuid primary key references tasks,
  object_id uuid not null unique,
  -- 40 hexadecimal digits, to which the reference of the input led when it was cloned.
  commit_id text not null,
  size_bytes bigint not null,
  created_at timestamptz(3) not null
);

-- One row a task whose delivered workspace has been gone through, also where it left nothing.
create table artifact_sets (
  task_id uuid primary key references tasks,
  collected_at timestamptz(3) not null
);

create table artifacts (
  -- Also names the object that holds the content.
  id uuid primary key,
  task_id uuid not null references tasks,
  -- In the order of paths.
  position int not null,
  path text not null,
  size_bytes bigint not null,
  sha256 text,
  content_type text not null,
  -- Why there is no content; null where there is.
  dropped text,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint artifacts_whole check ((sha256 is null) = (dropped is not null) or dropped = 'lost'),
  unique (task_id, position)
);
create index artifacts_expiry on artifacts (expires_at);
