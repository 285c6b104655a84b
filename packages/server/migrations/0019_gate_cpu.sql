-- What the gates of an owner's tasks have cost in CPU time, by the hour; the hours of the window alone.
create table gate_cpu (
  owner_id uuid,
  hour timestamptz(3),
  cpu_ms bigint not null check (cpu_ms >= 0),
  primary key (owner_id, hour)
) with (fillfactor = 50);
create index gate_cpu_hour on gate_cpu (hour);

-- Null where the run opened no sandbox, and for a moment after the verdict.
alter table assessments add column gate_cpu_ms bigint check (gate_cpu_ms >= 0);
