-- An owner's events, newest first.
create index events_owner on events (owner_id, seq) where owner_id is not null;
