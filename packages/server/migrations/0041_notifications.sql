-- What each owner has chosen, and how many mails it got lately.
create table notification_owners (
  owner_id uuid primary key references owners on delete cascade,
  -- By kind, where the owner has chosen: {"task_failed": {"inApp": true, "email": false}}.
  preferences jsonb not null default '{}',
  -- Notifications so far; each has its number.
  made bigint not null default 0,
  -- Times of the mails of the last hour.
  mailed jsonb not null default '[]',
  -- How many mails of each kind wait to be told as one, and when that is.
  put_off jsonb not null default '{}',
  digest_at timestamptz(3)
) with (fillfactor = 50);
create index notification_digests on notification_owners (digest_at) where digest_at is not null;

create table notifications (
  id uuid primary key,
  owner_id uuid not null references notification_owners on delete cascade,
  nth bigint not null,
  kind text not null,
  text text not null,
  task_id uuid,
  agent_id uuid,
  happened_at timestamptz(3) not null,
  read_at timestamptz(3),
  constraint notifications_nth unique (owner_id, nth)
);
create index notifications_unread on notifications (owner_id, nth) where read_at is null;

-- What happened before there were notifications is told to nobody.
insert into outbox_readers (name, seq)
select 'embassy.notifications', coalesce(max(seq), 0) from events;
