-- What an owner holds is counted over all servers, by the statement that takes more of it. The indexes for that come with the
-- next migration: meanwhile nobody could write to these tables, and servers that cannot tell that they live count as dead.

-- How many ordinary sandboxes of tasks a server may have. One of an earlier release does not say.
alter table hosts add column capacity integer not null default 0;

alter table sandboxes
  add column buyer_id uuid,
  add column seller_id uuid,
  -- As how many ordinary ones it counts.
  add column weight integer not null default 1;

-- Owners whose checks are tried, one run at a time.
create table dry_runs (
  owner_id uuid primary key,
  host uuid not null,
  -- No run lasts longer.
  until timestamptz(3) not null
);
