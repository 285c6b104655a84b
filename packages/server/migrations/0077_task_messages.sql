-- What submitter and agent of a task say to each other, kept like the description of the task.
create table task_messages (
  id uuid primary key,
  task_id uuid not null,
  position int not null,
  -- The agent that had the task. The next one does not read what this one was told.
  agent_id uuid not null,
  author text not null,
  kind text not null,
  text text not null,
  blocking boolean not null,
  answers uuid references task_messages,
  answered_by uuid references task_messages,
  -- Of a change request: cents, whether it was accepted or declined, and the follow-up task.
  offer_price bigint,
  offer_decision text,
  offer_task_id uuid,
  sha256 text not null,
  created_at timestamptz(3) not null,
  unique (task_id, position)
);

create table task_message_attachments (
  id uuid primary key,
  message_id uuid not null references task_messages,
  position int not null,
  name text not null,
  content_type text not null,
  size_bytes int not null,
  sha256 text not null,
  -- Null once it was erased with the input of the task.
  content bytea,
  unique (message_id, position)
);

-- A question that blocks pauses the deadline. Until when is already in the deadline, which an answer brings forward.
alter table tasks add column pauses smallint not null default 0, add column paused_ms int not null default 0,
  add column waiting_since timestamptz(3), add column waiting_until timestamptz(3), add column unanswered_at timestamptz(3);
create index tasks_waiting_until on tasks (waiting_until) where waiting_until is not null;

alter table policies add column default_answer text;
