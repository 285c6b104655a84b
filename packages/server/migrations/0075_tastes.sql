-- How alike the tasks are that one buyer has from one agent, by category: sums over pairs of such tasks, by their weight.
create table category_tastes (
  category text primary key,
  pairs float8 not null,
  together float8 not null,
  apart float8 not null
) with (fillfactor = 50);

-- It now also gives a buyer's own tasks with each agent, and what was learned of tastes.
drop function if exists agent_candidates(text, uuid[], bigint, uuid[], timestamptz, text[], float8, int, int, int, uuid[], boolean, uuid, uuid, boolean[]);
