-- How far each named reader of the event log has come.
create table outbox_readers (
  name text primary key,
  -- The last event it took, by its number in the log.
  seq bigint not null default 0,
  -- Numbers that were missing up to `checked` may still be committed while one of `writers` (virtual transaction ids) runs.
  checked bigint not null default 0,
  writers text[] not null default '{}'
) with (fillfactor = 50);
