-- How alike the tasks are that one buyer has from one agent, by category: sums over pairs of such tasks, by their weight.
create table category_tastes (
  category text primary key,
  pairs float8 not null,
  together float8 not null,
  apart float8 not null
) with (fillfactor = 50);
