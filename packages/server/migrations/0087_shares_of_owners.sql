-- What an owner holds is counted over all servers, by the statement that takes more of it.

-- How many ordinary sandboxes of tasks a server may have. One of an earlier release does not say.
alter table hosts add column capacity integer not null default 0;

alter table sandboxes
  add column buyer_id uuid,
  add column seller_id uuid,
  -- As how many ordinary ones it counts.
  add column weight integer not null default 1;
create index sandboxes_of_buyer on sandboxes (buyer_id) where status in ('provisioning', 'ready', 'draining');
create index sandboxes_of_seller on sandboxes (seller_id) where status in ('provisioning', 'ready', 'draining');

create index webhooks_rounds on webhooks (is_prompt, owner_id) where held = 'round';

-- Gates that were leased; what a judge takes itself has one attempt and writes nothing here.
create index tasks_gates_leased on tasks (owner_id)
  where gate_host is not null and attempts > 1 and status = 'quality_check' and assessment_id is null;

-- Owners whose checks are tried, one run at a time.
create table dry_runs (
  owner_id uuid primary key,
  host uuid not null,
  -- No run lasts longer.
  until timestamptz(3) not null
);
