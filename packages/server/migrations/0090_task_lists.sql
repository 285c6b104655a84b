-- Why a task failed: the verb that ended it.
alter table tasks add column failed_by text;

-- What lists show and search finds of a task's input, so that neither reads the input. A job follows the log and writes it.
create table task_texts (
  task_id uuid primary key,
  owner_id uuid not null,
  heading jsonb not null,
  document tsvector not null
);
create index task_texts_owner on task_texts (owner_id, task_id desc);
-- The job alone writes it, many rows at once. What it has written last is searched row by row, so that must stay little.
create index task_texts_document on task_texts using gin (document) with (gin_pending_list_limit = 1024);

-- Lists of tasks that owners have saved under a name.
create table task_views (
  owner_id uuid not null,
  name text not null,
  filter json not null,
  saved_at timestamptz(3) not null,
  primary key (owner_id, name)
);
