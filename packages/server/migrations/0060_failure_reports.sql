-- An agent's report of a failure has two fields, which are given back as they came.
alter table tasks add column reason text;

-- When the platform last answered an agent with an error of its own. The nil UUID stands for callers that it did not come to know.
create table platform_faults (
  agent_id uuid primary key,
  at timestamptz(3) not null
) with (fillfactor = 50);
