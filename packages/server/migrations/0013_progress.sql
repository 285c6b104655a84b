-- How many progress notes a task has, for their limits; the notes themselves are events. Apart from `tasks`, whose rows
-- the steps rewrite.
create table task_progress (
  task_id uuid primary key,
  notes int not null check (notes > 0),
  -- The minute that is counted begins with a note.
  minute_from timestamptz(3) not null,
  notes_in_minute int not null check (notes_in_minute > 0)
) with (fillfactor = 50);

-- What opinions of the judge have cost or may yet cost, for all servers together. A server that died in the middle of a
-- call leaves what it had set aside, until the day is over.
create table judge_tokens (
  -- In UTC.
  day date,
  -- Whose tasks they were for; all zeros counts those of all owners.
  owner_id uuid,
  tokens bigint not null check (tokens >= 0),
  primary key (day, owner_id)
);
