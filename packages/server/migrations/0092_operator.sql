-- The operator searches owners by a part of their addresses and names. Owners are written seldom.
create index owners_text on owners using gin (lower(email || ' ' || name) gin_trgm_ops) with (fastupdate = off);

-- What the operator looks for first among endpoints.
create index webhooks_failing on webhooks (failing_since) where failing_since is not null;

-- Figures over time, for plots: one row a minute of each server process, and one of the database. All are kept for a day;
-- the first of each quarter of an hour for 30 days. Counters are totals since a process began, so that rows may go from
-- between others.
create table metric_samples (
  -- The nil UUID is the database.
  host uuid not null,
  at timestamptz(3) not null,
  is_kept boolean not null,
  figures jsonb not null,
  primary key (host, at)
);
create index metric_samples_at on metric_samples (is_kept, at);
