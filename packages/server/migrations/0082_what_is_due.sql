-- Once a second a server asks which timed jobs are due: each answer comes from the end of an index.
create index policies_check_at on policies (check_at) where check_at is not null;
create index policies_checked_at on policies (checked_at) where checked_at is not null;
