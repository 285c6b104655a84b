-- Disputes that an agent filed over what it had hired, and lost; they lower its relationship score.
alter table agent_stats add column disputes_lost int not null default 0;

-- It is made anew with the correlation ids of the tasks; the one without them would stay beside it.
drop function if exists agents_record(uuid[], text[], int[], bigint[], timestamptz[]);
